import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';

import {
  apiPrefix,
  exporterPath,
  livenessPaths,
  openApiPath,
  overviewPath,
  readinessPaths,
  reloadPath,
  statusPath,
  viewPaths,
} from '../../config/served-paths.js';
import { messageOf } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import { oneLine } from '../../lib/base/text.js';
import type { ReadinessCheck } from '../../people/query/status.js';
import type { DeferredStatus } from './deferred-status.js';
import type { Guard } from './guard.js';
import type { Liveness } from './liveness.js';
import type { MetricsHandler } from './metrics-handler.js';
import { sendText } from './responses.js';

export interface Endpoints {
  readonly metrics: Pick<MetricsHandler, 'handle'>;
  readonly status: Pick<DeferredStatus, 'handle'>;
  readonly liveness: Pick<Liveness, 'failure'>;
  readonly readiness: { checks(): readonly ReadinessCheck[] };
  /** Rejects, after it has logged the reason, when the old settings stay. Undefined: reloading over HTTP is disabled. */
  readonly reload: (() => Promise<void>) | undefined;
}

/** Responses load nothing and may not be framed. The status page has its own policy. */
const contentSecurityPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The HTTP endpoints. Errors are one constant line of text, without stack and paths. */
export function createRoutes(
  options: Endpoints & {
    /** Begins with `/`. */
    readonly metricsPath: string;
    /** Whether the pages and the API are served. */
    readonly hasStatus: boolean;
    readonly guard: Pick<Guard, 'check'>;
    readonly logger: Logger;
  },
): Express {
  const { metricsPath, metrics, status, liveness, readiness, guard, logger } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.use((_request, response, next) => {
    response.set({ 'Content-Security-Policy': contentSecurityPolicy, 'X-Content-Type-Options': 'nosniff' });
    next();
  });
  app.use((request, response, next) => guard.check(request, response, next));
  app.use((request, response, next) => {
    const allowed = request.path === reloadPath ? ['POST'] : ['GET', 'HEAD'];
    if (allowed.includes(request.method)) {
      next();
      return;
    }
    response.set('Allow', allowed.join(', '));
    sendText(response, 405, `method not allowed: use ${allowed.join(' or ')}`);
  });
  app.get([...livenessPaths], (_request, response) => {
    const failure = liveness.failure();
    sendText(response, failure === undefined ? 200 : 503, failure === undefined ? 'ok' : `not alive: ${failure}`);
  });
  app.get([...readinessPaths], (request, response) => {
    sendReadiness(response, readiness.checks(), 'verbose' in request.query);
  });
  app.post(reloadPath, (_request, response) => reload(response, options));
  app.get(literalPath(metricsPath), (request, response) => metrics.handle(request, response));
  if (options.hasStatus) {
    app.get(overviewPath, (_request, response) => {
      response.redirect('./');
    });
    const apiPaths = [statusPath, openApiPath, ...viewPaths.map((path) => `${apiPrefix}${path}`)];
    app.get(['/', exporterPath, ...viewPaths, ...apiPaths], (request, response) => status.handle(request, response));
  }
  app.get(/[^/]\/$/, (request, response) => {
    response.redirect(308, withoutSlash(request.originalUrl));
  });
  app.use(async (request, response) => {
    if (options.hasStatus && isOfBrowser(request)) await status.handle(request, response);
    else sendText(response, 404, 'not found');
  });
  app.use(errorHandler(logger));
  return app;
}

/** Returns whether a reader would see what is answered. A page shows problems: the guard asks for the permission of all pages. */
function isOfBrowser(request: Request): boolean {
  return !request.path.startsWith('/api/') && request.get('accept')?.includes('text/html') === true;
}

function sendReadiness(response: Response, checks: readonly ReadinessCheck[], isVerbose: boolean): void {
  const failing = checks.filter(({ isOk }) => !isOk);
  const blocking = failing.filter(({ isOptional = false }) => !isOptional);
  const isReady = blocking.length === 0;
  const details = checks.map(checkLine);
  const missing = failing.map(failureText).join('; ');
  const readyText = failing.length === 0 ? 'ok' : `ok, without ${missing}`;
  const summary = isReady ? readyText : `not ready: ${blocking.map(failureText).join('; ')}`;
  const verdict = `readyz check ${isReady ? 'passed' : 'failed'}`;
  sendText(response, isReady ? 200 : 503, isVerbose ? [...details, verdict].join('\n') : summary);
}

function checkLine(check: ReadinessCheck): string {
  if (check.isOk) return `[+]${check.name} ok${check.message === undefined ? '' : `: ${check.message}`}`;
  return `[-]${failureText(check)}${check.isOptional === true ? ' (ready without it)' : ''}`;
}

function failureText({ name, message = '' }: ReadinessCheck): string {
  return `${name}: ${oneLine(message)}`;
}

async function reload(response: Response, options: Endpoints): Promise<void> {
  if (options.reload === undefined) {
    sendText(response, 403, 'reload over HTTP is disabled: start with --web.enable-lifecycle');
    return;
  }
  try {
    await options.reload();
  } catch {
    sendText(response, 500, 'reload failed: see the log');
    return;
  }
  sendText(response, 200, 'reloaded');
}

/** Relative, as the exporter may be served below a prefix: of `/nodes/?order=name`, `../nodes?order=name`. */
function withoutSlash(url: string): string {
  const [path = '', ...query] = url.split('?');
  return ['..' + path.slice(path.lastIndexOf('/', path.length - 2), -1), ...query].join('?');
}

/** A path without patterns: https://github.com/pillarjs/path-to-regexp#readme */
function literalPath(path: string): string {
  return path.replaceAll(/[\\{}()[\]+?!:*]/g, String.raw`\$&`);
}

/** Other errors than those of addresses are bugs of the exporter: requests have no body. */
function errorHandler(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error); // Express closes the connection.
      return;
    }
    if (error instanceof URIError) {
      sendText(response, 400, 'the address is not well-formed: "%" begins two hexadecimal digits of UTF-8');
      return;
    }
    logger.error('request failed', { error: messageOf(error) });
    sendText(response, 500, 'internal error');
  };
}

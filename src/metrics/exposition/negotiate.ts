/**
 * Negotiation of the format of a response.
 *
 * https://prometheus.io/docs/instrumenting/content_negotiation/
 * https://www.rfc-editor.org/rfc/rfc9110#section-12.5
 */
import type { ExpositionFormat } from './render.js';

export interface NegotiatedFormat {
  readonly format: ExpositionFormat;
  readonly contentType: string;
}

interface Preference {
  /** Lower case. */
  readonly value: string;
  /** Names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
  /** 0 (not acceptable) to 1. */
  readonly quality: number;
}

const text: NegotiatedFormat = { format: 'text', contentType: 'text/plain; version=0.0.4; charset=utf-8' };
const openMetricsVersions: readonly string[] = ['1.0.0', '0.0.1'];
const textTypes: readonly string[] = ['text/plain', 'text/*', '*/*'];

/**
 * OpenMetrics when the client prefers it to plain text; of equals, the one that it names first. Plain text for
 * everything else: a response in another format is more useful to a scraper than a 406.
 */
export function negotiateFormat(accept: string | undefined): NegotiatedFormat {
  const acceptable = parsePreferences(accept).filter((each) => each.quality > 0 && formatOf(each) !== undefined);
  const [best] = acceptable.sort((a, b) => b.quality - a.quality);
  return (best && formatOf(best)) ?? text;
}

function formatOf({ value, parameters }: Preference): NegotiatedFormat | undefined {
  if (value === 'application/openmetrics-text') {
    const version = parameters.get('version') ?? '0.0.1';
    const contentType = `application/openmetrics-text; version=${version}; charset=utf-8`;
    return openMetricsVersions.includes(version) ? { format: 'openmetrics', contentType } : undefined;
  }
  const isText = textTypes.includes(value) && ['0.0.4', undefined].includes(parameters.get('version'));
  return isText ? text : undefined;
}

function parsePreferences(header = ''): readonly Preference[] {
  return header.split(',').map((element) => {
    const [value = '', ...rest] = element.split(';').map((part) => part.trim());
    const parameters = new Map(rest.map(parseParameter));
    return { value: value.toLowerCase(), parameters, quality: parseQuality(parameters.get('q')) };
  });
}

function parseParameter(text: string): readonly [name: string, value: string] {
  const [name = '', value = ''] = text.split('=', 2).map((part) => part.trim());
  return [name.toLowerCase(), value.replaceAll('"', '')];
}

/** A malformed quality counts as "not acceptable". */
function parseQuality(text: string | undefined): number {
  if (text === undefined) return 1;
  return /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(text) ? Number(text) : 0;
}

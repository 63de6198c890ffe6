import { UserError } from '../base/errors.js';
import { withoutUserInfo } from '../base/text.js';

/** Throws UserError for another text; `what` names it. Credentials are not part of the message. */
export function proxyUrlOf(text: string, what: string): URL {
  return urlOf(text, what, ['http:', 'https:', 'socks5:', 'socks5h:']);
}

/** Throws UserError unless the text is a URL of one of the protocols; `what` names it. Credentials are not part of the message. */
export function urlOf(text: string, what: string, protocols: readonly string[]): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && protocols.includes(url.protocol)) return url;
  const found = url === undefined ? withoutUserInfo(text) : url.protocol;
  throw new UserError(`${what} "${found}" must begin with ${protocols.join(', ')}`);
}

import type { PasswordChecker } from './password-checker.js';
import type { TokenAttempt, TokenReviewer } from './token-reviewer.js';
import type { Verdict } from './verdict.js';

const realm = 'realm="ephemeral-storage-exporter"';

/** Who may send requests: everybody without users and tokens, otherwise those with a password or a token. */
export class AccessControl implements Disposable {
  readonly #passwords: PasswordChecker;
  readonly #tokens: TokenReviewer | undefined;
  #hashes: ReadonlyMap<string, string> = new Map();

  constructor({
    passwords,
    tokens,
  }: {
    readonly passwords: PasswordChecker;
    /** Undefined: no tokens. */
    readonly tokens: TokenReviewer | undefined;
  }) {
    this.#passwords = passwords;
    this.#tokens = tokens;
  }

  /** Hashes of bcrypt by user. */
  setUsers(hashes: ReadonlyMap<string, string>): void {
    this.#hashes = hashes;
  }

  /** Of the header WWW-Authenticate; none when everybody may send requests. https://www.rfc-editor.org/rfc/rfc9110#name-www-authenticate */
  get challenges(): readonly string[] {
    return [
      ...(this.#hashes.size > 0 ? [`Basic ${realm}, charset="UTF-8"`] : []),
      ...(this.#tokens === undefined ? [] : [`Bearer ${realm}`]),
    ];
  }

  /** Never rejects. */
  async check({
    authorization = '',
    ...request
  }: Omit<TokenAttempt, 'token'> & {
    /** The header. */
    readonly authorization: string | undefined;
  }): Promise<Verdict> {
    if (this.challenges.length === 0) return 'allowed';
    const [, scheme = '', credentials = ''] = /^(\S+) +(\S+) *$/.exec(authorization) ?? [];
    switch (scheme.toLowerCase()) {
      case 'basic':
        return this.#checkPassword(credentials, request.client);
      case 'bearer':
        return this.#tokens?.check({ token: credentials, ...request }) ?? 'unauthenticated';
      default:
        return 'unauthenticated';
    }
  }

  /** Ends the checks that are running. */
  [Symbol.dispose](): void {
    this.#passwords[Symbol.dispose]();
    this.#tokens?.[Symbol.dispose]();
  }

  /** https://www.rfc-editor.org/rfc/rfc7617#section-2 */
  async #checkPassword(credentials: string, client: string): Promise<Verdict> {
    const text = Buffer.from(credentials, 'base64').toString();
    const end = text.indexOf(':');
    if (end < 0 || this.#hashes.size === 0) return 'unauthenticated';
    return this.#passwords.check({ user: text.slice(0, end), password: text.slice(end + 1), client }, this.#hashes);
  }
}

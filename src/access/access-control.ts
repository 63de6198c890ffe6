import type { PasswordChecker } from './password-checker.js';
import type { Verdict } from './verdict.js';

/** What a decision depends on. */
export interface AccessRequest {
  /** The header. */
  readonly authorization: string | undefined;
  /** The address of the client. */
  readonly client: string;
}

/** Who may send requests: everybody without users, otherwise those with a password. */
export class AccessControl implements Disposable {
  readonly #passwords: PasswordChecker;
  #hashes: ReadonlyMap<string, string> = new Map();

  constructor({ passwords }: { readonly passwords: PasswordChecker }) {
    this.#passwords = passwords;
  }

  /** Hashes of bcrypt by user. */
  setUsers(hashes: ReadonlyMap<string, string>): void {
    this.#hashes = hashes;
  }

  /** Of the header WWW-Authenticate; none when everybody may send requests. https://www.rfc-editor.org/rfc/rfc9110#name-www-authenticate */
  get challenges(): readonly string[] {
    return this.#hashes.size > 0 ? ['Basic realm="ephemeral-storage-exporter", charset="UTF-8"'] : [];
  }

  /** Never rejects. */
  async check({ authorization = '', client }: AccessRequest): Promise<Verdict> {
    if (this.challenges.length === 0) return 'allowed';
    const [, scheme = '', credentials = ''] = /^(\S+) +(\S+) *$/.exec(authorization) ?? [];
    return scheme.toLowerCase() === 'basic' ? this.#checkPassword(credentials, client) : 'unauthenticated';
  }

  /** Ends the checks that are running. */
  [Symbol.dispose](): void {
    this.#passwords[Symbol.dispose]();
  }

  /** https://www.rfc-editor.org/rfc/rfc7617#section-2 */
  async #checkPassword(credentials: string, client: string): Promise<Verdict> {
    const text = Buffer.from(credentials, 'base64').toString();
    const end = text.indexOf(':');
    if (end < 0) return 'unauthenticated';
    return this.#passwords.check({ user: text.slice(0, end), password: text.slice(end + 1), client }, this.#hashes);
  }
}

/**
 * `unauthenticated`: no credentials, or wrong ones. `forbidden`: right ones that do not allow the request. `busy`: not
 * checked, too many attempts wait. `unavailable`: the check failed; nobody is let in then.
 */
export type Verdict = 'allowed' | 'unauthenticated' | 'forbidden' | 'busy' | 'unavailable';

/**
 * `unauthenticated`: no credentials, or wrong ones. `busy`: not checked, too many attempts wait. `unavailable`: the check
 * failed; nobody is let in then.
 */
export type Verdict =
  | 'allowed'
  | 'unauthenticated'
  | 'busy'
  | 'unavailable'
  | {
      /** The credentials are right and do not allow the request: for the client, its user and the rule that it lacks. */
      readonly forbidden: string;
    };

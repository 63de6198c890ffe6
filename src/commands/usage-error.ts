import { UserError } from '../base/errors.js';

/** A flag with a value that it does not take; the message names the flag. */
export class UsageError extends UserError {}

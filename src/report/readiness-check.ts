/** One condition for `/readyz`. */
export interface ReadinessCheck {
  readonly name: string;
  readonly isOk: boolean;
  /** The reason when it is not ok. */
  readonly message?: string | undefined;
}

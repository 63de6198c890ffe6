/** One condition for `/readyz`. */
export interface ReadinessCheck {
  readonly name: string;
  readonly isOk: boolean;
  /** The exporter is ready without it: what is missing is marked. False without it. */
  readonly isOptional?: boolean | undefined;
  /** The reason when it is not ok; otherwise what else is known of it. */
  readonly message?: string | undefined;
}

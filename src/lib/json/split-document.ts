export interface SplitDocument {
  /** Names the document, such as `list`; begins the messages. */
  readonly what: string;
  /** The members of the object whose arrays are split into items. */
  readonly arrayNames: readonly string[];
  /** Names an item in errors: `an item`. */
  readonly itemName: string;
  readonly limits: SliceLimits;
  /**
   * Called for each other member of the object, in order; for the arrays too when they are missing an array: Go writes a nil
   * slice as `null`.
   */
  readonly onMember: (name: string, value: unknown) => void;
  /** Called for each item, in order. The items are valid only when `finish` returns: until then the document may be truncated. */
  readonly onItem: (item: unknown, arrayName: string) => void;
  /** Returns what takes the bytes of an item above the limits. Without it, such an item is an error. */
  readonly onOversizedItem?: () => SliceSink;
  /** Whether an object or list above the limits, the value of this member, is skipped; else it is an error. */
  readonly skipsOversized?: (memberName: string) => boolean;
}

/** Takes the bytes of one slice as they arrive. */
export interface SliceSink {
  /** Valid until it returns. */
  readonly write: (bytes: Buffer) => void;
  /** Called at the end of the slice. */
  readonly end: () => void;
}

/** What JSON.parse may get at once, an item or a member. */
export interface SliceLimits {
  readonly maxBytes: number;
  /** Strings (names of members too), objects and arrays: they cost far more than their bytes. */
  readonly maxValueCount: number;
}

import type { Document } from '../../people/pens/document.js';

/** What there are lists of for commands, and what one of them can be explained. */
export type ListResource =
  'next' | 'workloads' | 'pods' | 'containers' | 'volumes' | 'nodes' | 'namespaces' | 'evictions';
export type ObjectResource = 'pod' | 'workload' | 'node' | 'namespace' | 'eviction';

/** Which rows are asked for; the selector is in kubectl's form, the workload has any name that people give it. */
export interface ListQuestion {
  readonly resource: ListResource;
  /** The only one; of pods, nodes and namespaces. */
  readonly name?: string | undefined;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** Whether the namespace was named for this question: a workload may then be in no other. */
  readonly isNamespaceNamed: boolean;
  readonly selector: string;
  readonly node?: string | undefined;
  readonly workload: string | undefined;
  /** The value of the parameter `order`; undefined: the usual one. */
  readonly order: string | undefined;
  /** The title of a column that has no such value: as many rows as an answer has are sorted by it. */
  readonly column?: string | undefined;
  /** Rows at most; Infinity for as many as an answer has. */
  readonly limit: number;
}

export interface ObjectQuestion {
  readonly resource: ObjectResource;
  /** Of workloads and evictions as `findWorkload` takes it. */
  readonly name: string;
  /** Undefined: any. */
  readonly namespace: string | undefined;
}

/** What is known, written for people. */
export interface WrittenAnswer {
  /** Of an object, one for each of its name. */
  readonly documents: readonly Document[];
  /** The facts that they are written from, as JSON has them. */
  readonly data: unknown;
  /** Why no node has data, and what to do, a line for each cause; none where one has data. */
  readonly causes: readonly string[];
  /** An answer has no more rows. */
  readonly maxRowCount: number;
  /** Says how old the data is, and, `isWatched`, when there is newer data; undefined without any. */
  ageNote(isWatched: boolean): string | undefined;
}

/** Answers of one moment. All throw UserError, which names what there is instead, and RequestError. */
export interface Answers {
  list(question: ListQuestion): Promise<WrittenAnswer>;
  explain(question: ObjectQuestion): Promise<WrittenAnswer>;
}

/** What is being read. */
export interface AnswerSession {
  /** Throws RequestError, or the signal's reason when it aborts. */
  read(signal: AbortSignal): Promise<Answers>;
  /** That of the context; undefined, all, for recordings. */
  readonly namespace: string | undefined;
}

/** What a command is about. */
export interface CommandSubject {
  /** Of the context of credentials: undefined is all. */
  readonly namespaceOf: (contextNamespace: string) => string | undefined;
  /** Evictions are read, and nothing else. */
  readonly isOfEvictions?: boolean;
  readonly node?: string | undefined;
  readonly podName?: string | undefined;
}

/** Opens what the command line names, has `use` work with it, and leaves nothing open. */
export type OpenAnswers = (subject: CommandSubject, use: (session: AnswerSession) => Promise<void>) => Promise<void>;

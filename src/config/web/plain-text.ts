import type { ScalarTag, Tags } from 'yaml';

/** A value without quotation marks: only such ones are numbers, booleans and null to Go. One with them is a string. */
export class PlainText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const plainTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:plain',
  default: true,
  test: /^/,
  resolve: (text) => new PlainText(text),
};

/** For the option `customTags` of the YAML parser, with the schema `failsafe`. Keys stay strings. */
export function withPlainText(tags: Tags): Tags {
  return [...tags, plainTag];
}

export type ScalarText = string | PlainText;

export function isScalarText(value: unknown): value is ScalarText {
  return typeof value === 'string' || value instanceof PlainText;
}

export function textOf(value: ScalarText): string {
  return typeof value === 'string' ? value : value.text;
}

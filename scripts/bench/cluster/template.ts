/**
 * A JSON document of fixed length whose slots have a fixed width: a copy is made once, and its slots are overwritten in
 * place, so that no response costs a `JSON.stringify`.
 */
export class Template {
  readonly skeleton: Buffer;
  readonly #offsets = new Map<string, number[]>();

  /** `value` holds slots made with {@link textSlot} and {@link numberSlot}; anything else in it is ASCII. */
  constructor(value: object, indent = 0) {
    const parts: string[] = [];
    let [length, end] = [0, 0];
    const add = (text: string): void => {
      parts.push(text);
      length += text.length;
    };
    const json = JSON.stringify(value, undefined, indent);
    for (const match of json.matchAll(slotPattern)) {
      add(json.slice(end, match.index));
      end = match.index + match[0].length;
      const name = match[1] ?? match[3] ?? '';
      this.#offsets.set(name, [...(this.#offsets.get(name) ?? []), length]);
      add('0'.repeat(Number(match[2] ?? match[4])));
    }
    add(json.slice(end));
    this.skeleton = Buffer.from(parts.join(''), 'latin1');
  }

  /** Where the slots of this name begin. */
  offsets(name: string): readonly number[] {
    const offsets = this.#offsets.get(name);
    if (offsets === undefined) throw new Error(`the template has no slot ${name}`);
    return offsets;
  }

  /** Fills all slots of these names in the copy that begins at `start`; each text has the width of its slots, in ASCII. */
  fill(target: Buffer, start: number, texts: Readonly<Record<string, string>>): void {
    for (const name in texts) fillAt(target, start, this.offsets(name), texts[name] ?? '');
  }
}

/** As {@link Template.fill}, for one name whose offsets are known. */
export function fillAt(target: Buffer, start: number, offsets: readonly number[], text: string): void {
  for (const offset of offsets) target.write(text, start + offset, 'latin1');
}

const slotPattern = /"~#([\w.]+):(\d+)~"|~([\w.]+):(\d+)~/g;

/** In a string, also as a part of it. */
export function textSlot(name: string, width: number): string {
  return `~${name}:${width}~`;
}

/** A number without quotes. */
export function numberSlot(name: string, width: number): string {
  return `~#${name}:${width}~`;
}

/**
 * Estimates the cost of compiling an RE2 expression from its text: RE2 expands `{n,m}`, so a short text can become a
 * large program. The count is an upper bound for every pattern that RE2 accepts; rejected patterns may get any number.
 */

interface PatternCost {
  /** Maximum instructions of the compiled program. */
  readonly instructions: number;
  /** Operations of about 50 ns to compile it (measured). */
  readonly operations: number;
}

/** Measured: an instruction takes up to 1.5 µs, a character of the source 1 µs. */
const OPERATIONS_PER_INSTRUCTION = 30;
const OPERATIONS_PER_CHARACTER = 20;
/** A Unicode class is a list of up to 700 ranges; case-insensitive, each of their characters is looked up. */
const OPERATIONS_PER_CLASS = 600;
const OPERATIONS_PER_FOLDED_CLASS = 6_000;
/** Merged classes are copied for each one added. */
const OPERATIONS_PER_PAIR_OF_CLASSES = 150;
/** Characters above this one have no case variants. */
const MAX_FOLDED_CHARACTER = 0x1e943;

/** Content of a group: the instructions of all items but the last, and of the last one. */
interface Group {
  before: number;
  last: number;
}

export function costOf(source: string): PatternCost {
  return new Scanner(source).cost();
}

class Scanner {
  #at = 0;
  #classes = 0;
  /** Characters in ranges of classes. */
  #span = 0;
  readonly #groups: Group[] = [{ before: 0, last: 0 }];

  constructor(private readonly source: string) {}

  cost(): PatternCost {
    const { source } = this;
    while (this.#at < source.length) this.#item();
    while (this.#groups.length > 1) this.#close();
    const [{ before, last }] = this.#groups as [Group];
    // Two frame the program, and an empty one has one more.
    const instructions = before + last + 3;
    const folded = /\(\?[a-zA-Z-]*i/.test(source);
    const classes =
      this.#classes * (folded ? OPERATIONS_PER_FOLDED_CLASS : OPERATIONS_PER_CLASS) +
      this.#classes ** 2 * OPERATIONS_PER_PAIR_OF_CLASSES +
      (folded ? this.#span * 2 : 0);
    const operations = instructions * OPERATIONS_PER_INSTRUCTION + source.length * OPERATIONS_PER_CHARACTER + classes;
    return { instructions, operations };
  }

  #item(): void {
    const found = this.source[this.#at] as string;
    switch (found) {
      case '\\':
        return this.#escape();
      case '[':
        return this.#class();
      case '(':
        this.#at += 1;
        this.#skipFlags();
        this.#groups.push({ before: 0, last: 3 });
        return;
      case ')':
        this.#at += 1;
        return this.#close();
      case '|':
        this.#at += 1;
        return this.#add(3);
      case '*':
      case '+':
      case '?':
        this.#at += 1;
        return this.#repeat(1);
      case '{':
        return this.#braces();
      default:
        this.#at += (this.source.codePointAt(this.#at) as number) > 0xffff ? 2 : 1;
        return this.#add(1);
    }
  }

  #add(instructions: number): void {
    const group = this.#groups.at(-1) as Group;
    group.before += group.last;
    group.last = instructions;
  }

  #close(): void {
    const group = this.#groups.length > 1 ? this.#groups.pop() : undefined;
    if (group !== undefined) this.#add(group.before + group.last);
  }

  /** Each copy may add an instruction, and the whole two. */
  #repeat(times: number): void {
    const group = this.#groups.at(-1) as Group;
    group.last = (group.last + 1) * times + 2;
  }

  #braces(): void {
    const [text, min, max] = match(/\{(\d+)(?:,(\d*))?\}/y, this.source, this.#at) ?? [];
    if (text === undefined) {
      this.#at += 1;
      return this.#add(1);
    }
    this.#at += text.length;
    this.#repeat(Math.max(1, Number(min), Number(max || 0)));
  }

  /** Modifiers after the parenthesis: `(?:`, `(?i)`, `(?P<name>`. */
  #skipFlags(): void {
    const [text] = match(/\?(?:P?<[^>]*>|[a-zA-Z-]*:?)/y, this.source, this.#at) ?? [];
    this.#at += text?.length ?? 0;
  }

  #escape(): void {
    const { source } = this;
    if (source.startsWith('\\Q', this.#at)) {
      const end = source.indexOf('\\E', this.#at);
      const quoted = source.slice(this.#at + 2, end < 0 ? undefined : end);
      for (const _character of quoted) this.#add(1);
      this.#at = end < 0 ? source.length : end + 2;
      return;
    }
    if (this.#unicodeClass()) return this.#add(1);
    const [text = '\\'] = match(/\\(?:x\{[^}]*\}|[^])/y, source, this.#at) ?? [];
    this.#at += text.length;
    this.#add(1);
  }

  #unicodeClass(): boolean {
    const [text] = match(/\\[pP](?:\{[^}]*\}|[^])/y, this.source, this.#at) ?? [];
    if (text === undefined) return false;
    this.#at += text.length;
    this.#classes += 1;
    return true;
  }

  /** `[...]`: a bracket at the beginning or after a backslash is a member. */
  #class(): void {
    const { source } = this;
    const [start] = match(/\[\^?\]?/y, source, this.#at) as [string];
    this.#at += start.length;
    while (this.#at < source.length && source[this.#at] !== ']') {
      if (this.#unicodeClass()) continue;
      const [text] = match(MEMBER, source, this.#at) as [string];
      this.#at += text.length;
      const [low, high] = text.startsWith('[:') ? [] : text.split(RANGE);
      if (low !== undefined && high !== undefined) this.#span += spanOf(low, high);
    }
    this.#at += 1;
    this.#add(1);
  }
}

const MEMBER = /\[:\^?[a-z]*:\]|(?:\\(?:x\{[^}]*\}|x..|[^])|[^])(?:-(?:\\(?:x\{[^}]*\}|x..|[^\]])|[^\]\\]))?/suy;
/** A range hyphen, between two single characters or escapes. */
const RANGE = /(?<=.)-(?=.)/su;

function spanOf(low: string, high: string): number {
  const [from, to] = [codeOf(low, 0), Math.min(codeOf(high, MAX_FOLDED_CHARACTER), MAX_FOLDED_CHARACTER)];
  return Math.max(0, to - from + 1);
}

/** The character of a member; `unknown` for a non-numeric escape. */
function codeOf(member: string, unknown: number): number {
  if (!member.startsWith('\\')) return member.codePointAt(0) ?? unknown;
  const hex = /^\\x\{?([0-9a-fA-F]+)/.exec(member)?.[1];
  return hex === undefined ? unknown : Number.parseInt(hex, 16);
}

/** The match of a sticky expression at a position. */
function match(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

import { RE2JS, RE2JSException } from 're2js';
import { tick } from '../compute/time-slice';

/** Approximate instructions between two clock checks of a match. */
const LONG_MATCH = 4_096;
/** Memory for a pattern's cached states between matches. */
const MAX_STATE_BYTES = 256 * 1024;

/** A compiled RE2 expression: it matches in time linear in the text. */
export class Pattern {
  constructor(
    readonly source: string,
    /** Size of the compiled program. In the worst case each instruction is tried at each character. */
    readonly instructions: number,
    /** Operations of about 50 ns to compile it. */
    readonly operations: number,
    private readonly regex: RE2JS,
  ) {}

  /** Number of capturing groups. */
  get groupCount(): number {
    return this.regex.groupCount();
  }

  hasGroup(name: string): boolean {
    return Object.hasOwn(this.regex.namedGroups(), name);
  }

  /** Maximum instructions to search a text of this length. */
  workOf(length: number): number {
    return this.instructions * (length + 8);
  }

  /** The same for `groups`, which copies captures. */
  workOfGroups(length: number): number {
    return this.workOf(length) * (1 + this.groupCount / 8);
  }

  /** Whether the pattern matches some part of the text. */
  test(text: string): boolean {
    return this.#match(this.workOf(text.length), text, (input) => this.regex.test(input));
  }

  /** Captures of the first match, the whole match first; null for groups without one. */
  groups(text: string): readonly (string | null)[] | null {
    return this.#match(this.workOfGroups(text.length), text, (input) => {
      const matcher = this.regex.matcher(input);
      if (!matcher.find()) return null;
      return Array.from({ length: this.groupCount + 1 }, (_group, index) => matcher.group(index));
    });
  }

  /** Capture of a named group in the first match. */
  namedGroup(text: string, name: string): string | null {
    const index = this.regex.namedGroups()[name];
    return index === undefined ? null : (this.groups(text)?.[index] ?? null);
  }

  #match<T>(work: number, text: string, match: (input: string) => T): T {
    if (work < LONG_MATCH) {
      tick(work);
      return match(text);
    }
    const looks = Math.max(1, Math.floor((LONG_MATCH / work) * text.length));
    try {
      return match(new TickingText(text, looks, () => tick(LONG_MATCH)) as unknown as string);
    } finally {
      this.#forgetStates();
    }
  }

  /** The matcher's cache grows up to 8 MB per pattern, and patterns are cached, so it is cleared. */
  #forgetStates(): void {
    this.regex.reset();
    // Not in the package's types: the automaton that is built while matching.
    const internals = this.regex.re2() as unknown as { lazyDFA: { maxMem: number; memBudget: number } | null };
    const { lazyDFA } = internals;
    if (lazyDFA !== null && lazyDFA.maxMem - lazyDFA.memBudget > MAX_STATE_BYTES) internals.lazyDFA = null;
  }
}

/** Null for an invalid RE2 expression. */
export function compileRe2(source: string, instructions: number, operations: number): Pattern | null {
  try {
    const regex = RE2JS.compile(source);
    return new Pattern(source, Math.min(instructions, regex.programSize()), operations, regex);
  } catch (fault) {
    if (!(fault instanceof RE2JSException)) throw fault;
    return null;
  }
}

/**
 * A text that calls back after a number of characters read, so that matching can be interrupted: the callback may
 * throw.
 */
class TickingText extends String {
  #left: number;

  constructor(
    text: string,
    private readonly every: number,
    private readonly onRead: () => void,
  ) {
    super(text);
    this.#left = every;
  }

  override charCodeAt(index: number): number {
    this.#left -= 1;
    if (this.#left <= 0) {
      this.#left = this.every;
      this.onRead();
    }
    return super.charCodeAt(index);
  }
}

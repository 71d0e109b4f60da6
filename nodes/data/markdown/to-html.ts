import MarkdownIt from 'markdown-it';
import { Budget } from '../budget';
import { Refusal } from '../computed';

/** Characters of Markdown that are read: about 40 ms, dense as it may be. */
const MAX_MARKDOWN = 64 * 1024;

/** How Markdown is read. */
interface MarkdownReading {
  /** A line break in the text is one on the page. */
  readonly breaks: boolean;
  /** HTML in the text is output unchanged. */
  readonly html: boolean;
}

/** Operations for each token that is passed over, each piece of text that is read, and each block that holds others. */
const SKIPPED = 0.5;
const READ = 150;
const ENTERED = 60;

/** State of the conversion: its budget. */
interface Env {
  budget?: Budget;
}

/**
 * HTML of Markdown (CommonMark, with tables and strikethrough). Links to `javascript:` and the like stay text.
 * @throws Refusal `too_large`
 */
export function markdownToHtml(text: string, reading: MarkdownReading): string {
  if (text.length > MAX_MARKDOWN) throw new Refusal('too_large', 'the Markdown is larger than 64 KiB');
  return readerOf(reading).render(text, { budget: new Budget() } satisfies Env);
}

/** One for each choice of options, made at its first use. */
const readers = new Map<string, MarkdownIt.MarkdownIt>();

function readerOf({ html, breaks }: MarkdownReading): MarkdownIt.MarkdownIt {
  const key = `${html} ${breaks}`;
  const known = readers.get(key);
  if (known !== undefined) return known;
  const markdown = new MarkdownIt({ html, breaks });
  const { inline, block } = markdown;
  // Brackets that open and never close are looked at again from each of them, so that is counted.
  const skipToken = inline.skipToken.bind(inline);
  inline.skipToken = (state) => {
    (state.env as Env).budget?.spend(SKIPPED);
    skipToken(state);
  };
  const parse = inline.parse.bind(inline);
  inline.parse = (source, md, env, tokens) => {
    (env as Env).budget?.spend(READ);
    parse(source, md, env, tokens);
  };
  const tokenize = block.tokenize.bind(block);
  block.tokenize = (state, from, to) => {
    (state.env as Env).budget?.spend(ENTERED);
    tokenize(state, from, to);
  };
  readers.set(key, markdown);
  return markdown;
}

import { Script } from 'node:vm';
import { compileTemplate, type ConfigFinding, ExpressionError } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { lineWithin } from '../../../lib/sandbox';
import { MAX_SOURCE } from './manifest';

const FILE = 'code.js';

/** Says before a run what is wrong with a source. */
export function check({ source }: JsonObject): ConfigFinding[] {
  // What is too long is refused for that.
  if (typeof source !== 'string' || source.length > MAX_SOURCE) return [];
  const text = constantOf(source);
  if (text === undefined) return [];
  if (text === null) return [WOVEN];
  const fault = syntaxFault(text);
  return fault === null ? [] : [{ kind: 'error', path: 'source', message: fault }];
}

const WOVEN: ConfigFinding = {
  kind: 'warning',
  path: 'source',
  message: 'what the expression gives becomes a part of the program, whoever it comes from',
  hint: 'put the expression into "input" and write input in the source; for a literal {{ write \\{{',
};

/** The text of a template without expressions; null where it has some, undefined where its braces are wrong. */
function constantOf(source: string): string | null | undefined {
  try {
    const template = compileTemplate(source);
    return template.kind === 'constant' ? (template.value as string) : null;
  } catch (fault) {
    // Every string of the document has its braces checked.
    if (fault instanceof ExpressionError) return undefined;
    throw fault;
  }
}

/**
 * What is wrong with the syntax, with its line; null for nothing. The program is read by Node's own engine and never
 * run by it.
 */
function syntaxFault(source: string): string | null {
  try {
    void new Script(`(async function () {${source}\n})`, { filename: FILE });
    return null;
  } catch (fault) {
    // Nothing else is thrown here than errors of syntax, and of a depth that cannot be read.
    const { message, stack = '' } = fault as Error;
    // The two engines know different regular expressions; the one that runs it has the last word.
    if (message.startsWith('Invalid regular expression')) return null;
    const line = new RegExp(`^${FILE}:(\\d+)`).exec(stack)?.[1];
    return `is no JavaScript: ${message}${line === undefined ? '' : ` (line ${lineWithin(source, Number(line))})`}`;
  }
}

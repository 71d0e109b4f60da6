import { badValue, ServerError } from '../bson/error';
import { Regex, type Value } from '../bson/value';

/**
 * A MongoDB (PCRE) pattern as a JavaScript RegExp. Options: i, m, s as in JavaScript, x strips blanks and comments,
 * u is MongoDB's default. Constructs that JavaScript lacks are refused as invalid, never reinterpreted.
 * @throws ServerError 51091 for a pattern that does not compile, 51108 for an unknown option
 */
export function compileRegex(pattern: string, options: string, extraFlags = ''): RegExp {
  const unknown = /[^imsxu]/.exec(options);
  if (unknown !== null) throw new ServerError(51108, `invalid flag in regex options: ${unknown[0]}`);
  if (pattern.includes('\0')) throw badValue('regular expression must not contain null bytes');
  const inline = /^\(\?([imsx]+)\)/.exec(pattern);
  const letters = new Set([...options, ...(inline?.[1] ?? '')]);
  const body = inline === null ? pattern : pattern.slice(inline[0].length);
  const source = fromPcre(letters.has('x') ? withoutBlanks(body) : body);
  const flags = ['i', 'm', 's'].filter((letter) => letters.has(letter)).join('') + extraFlags;
  // Unicode mode reads astral characters as one, as PCRE in UTF mode does, but refuses needless escapes such as `\-`;
  // those patterns run without it.
  const attempts = letters.has('i') || !isAscii(source) || source.includes('\\p') ? ['u', ''] : ['', 'u'];
  for (const mode of attempts) {
    const compiled = tryCompile(source, flags + mode);
    if (compiled !== undefined) return compiled;
  }
  throw new ServerError(51091, `Regular expression is invalid: ${pattern}`);
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

function tryCompile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** PCRE's anchors and named groups in JavaScript's spelling. */
const fromPcre = (source: string): string =>
  source
    .replace(/\\(.)/gs, (escape, letter: string) =>
      letter === 'A'
        ? '(?<![\\s\\S])'
        : letter === 'z'
          ? '(?![\\s\\S])'
          : letter === 'Z'
            ? '(?=\\n?(?![\\s\\S]))'
            : escape,
    )
    .replaceAll('(?P<', '(?<');

/** Removes what option x ignores: blanks and comments outside character classes. */
function withoutBlanks(source: string): string {
  return source.replace(/\\.|\[(?:\\.|[^\]])*\]|\s+|#[^\n]*/gs, (part) =>
    part.startsWith('\\') || part.startsWith('[') ? part : '',
  );
}

/** The options of a `$regex` or regex literal as stored: letters in order, each once. */
const sortedOptions = (options: string): string => [...new Set(options)].sort().join('');

/** True for a stored regular expression that is written the same. */
export const isSameRegex = (value: Value, pattern: string, options: string): boolean =>
  value instanceof Regex && value.pattern === pattern && sortedOptions(value.options) === sortedOptions(options);

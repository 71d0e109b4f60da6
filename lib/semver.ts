/** A version by Semantic Versioning 2.0.0, without build metadata: two that differ in those alone would have the same rank. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** Identifiers of a pre-release; empty for a release. */
  readonly pre: readonly (string | number)[];
}

const NUMBER = '0|[1-9]\\d{0,8}';
const IDENTIFIER = `${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*`;
const VERSION = new RegExp(
  `^(${NUMBER})(?:\\.(${NUMBER})(?:\\.(${NUMBER})(?:-((?:${IDENTIFIER})(?:\\.(?:${IDENTIFIER}))*))?)?)?$`,
);
const LONGEST = 64;

/** The version that a text means; `1` and `1.2` are completed. Null for anything else. */
export function parseVersion(text: string): Version | null {
  const found = text.length > LONGEST ? null : VERSION.exec(text);
  if (found === null) return null;
  const [, major, minor = '0', patch = '0', pre] = found;
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch),
    pre: pre === undefined ? [] : pre.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
  };
}

/** The version as text. */
export const versionText = ({ major, minor, patch, pre }: Version): string =>
  `${major}.${minor}.${patch}${pre.length === 0 ? '' : `-${pre.join('.')}`}`;

/** Below zero where the first goes before the second, above where it goes after, 0 for the same (section 11). */
export function compareVersions(a: Version, b: Version): number {
  const byNumber = a.major - b.major || a.minor - b.minor || a.patch - b.patch;
  if (byNumber !== 0) return byNumber;
  // A release goes after its pre-releases.
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (let at = 0; at < Math.min(a.pre.length, b.pre.length); at++) {
    const order = compareIdentifiers(a.pre[at] as string | number, b.pre[at] as string | number);
    if (order !== 0) return order;
  }
  return a.pre.length - b.pre.length;
}

/** The next version after one; of a pre-release, the release that it comes before. */
export function bumped({ major, minor, patch, pre }: Version, part: 'major' | 'minor' | 'patch'): Version {
  const early = pre.length > 0;
  switch (part) {
    case 'major':
      return { major: early && minor === 0 && patch === 0 ? major : major + 1, minor: 0, patch: 0, pre: [] };
    case 'minor':
      return { major, minor: early && patch === 0 ? minor : minor + 1, patch: 0, pre: [] };
    case 'patch':
      return { major, minor, patch: early ? patch : patch + 1, pre: [] };
  }
}

function compareIdentifiers(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number') return -1;
  if (typeof b === 'number') return 1;
  return a < b ? -1 : Number(a > b);
}

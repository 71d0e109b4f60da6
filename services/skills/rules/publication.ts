/** Which version a publication makes, and what the registry then has. Pure. */
import { bumped, compareVersions, parseVersion, type Version, versionText } from '../../../lib/semver';

/** A version that was published once. It stays on record for good, so that its number is never used again. */
export interface PublishedVersion {
  readonly version: string;
  readonly hash: string;
  /** Of its content. */
  readonly bytes: number;
  readonly notes: string | null;
  /** RFC 3339. */
  readonly published_at: string;
  readonly withdrawn_at: string | null;
}

/** What is asked of a publication. */
export interface PublicationAsked {
  readonly version?: string | undefined;
  readonly bump?: 'major' | 'minor' | 'patch' | undefined;
}

/** A new version; one that is there already (`again`), with the same content; or why neither. */
export type PublicationDecision =
  | { readonly kind: 'new'; readonly version: string }
  | { readonly kind: 'again'; readonly version: string }
  | { readonly kind: 'refused'; readonly code: 'invalid_request' | 'conflict'; readonly message: string };

const FIRST = '1.0.0';
const MOST_VERSIONS = 200;

/**
 * The version that is asked for; else the one of the definition where it is newer than all; else the next one. A content
 * that the newest version has already needs no other.
 */
export function decidePublication(
  versions: readonly PublishedVersion[],
  { hash, own }: { readonly hash: string; readonly own: string | null },
  { version, bump }: PublicationAsked,
): PublicationDecision {
  if (version !== undefined && bump !== undefined)
    return { kind: 'refused', code: 'invalid_request', message: 'Send either "version" or "bump", and not both' };
  const asked = version === undefined ? null : parseVersion(version);
  if (version !== undefined && asked === null)
    return { kind: 'refused', code: 'invalid_request', message: 'The version must be one such as 1.2.0 (semver.org)' };
  const newest = newestOf(versions);
  const chosen =
    asked !== null
      ? versionText(asked)
      : bump === undefined && newest?.hash === hash
        ? newest.version
        : nextVersion(newest, own, bump);
  if (parseVersion(chosen) === null)
    return { kind: 'refused', code: 'conflict', message: `${newest?.version} has no next version of that kind` };
  const there = versions.find((each) => each.version === chosen);
  if (there?.hash === hash) return { kind: 'again', version: chosen };
  if (there !== undefined) {
    const message = `Version ${chosen} was published with another content, and never changes; publish it as another version`;
    return { kind: 'refused', code: 'conflict', message };
  }
  if (versions.length >= MOST_VERSIONS)
    return { kind: 'refused', code: 'conflict', message: `A skill has at most ${MOST_VERSIONS} versions` };
  return { kind: 'new', version: chosen };
}

function nextVersion(newest: PublishedVersion | null, own: string | null, bump: PublicationAsked['bump']): string {
  if (newest === null) return own ?? FIRST;
  const last = parsed(newest.version);
  if (bump === undefined && own !== null && compareVersions(parsed(own), last) > 0) return own;
  return versionText(bumped(last, bump ?? 'patch'));
}

/** Of those that are on record, withdrawn ones too. */
const newestOf = (versions: readonly PublishedVersion[]): PublishedVersion | null => newestFirst(versions)[0] ?? null;

/** By rank, the newest first. */
export const newestFirst = <T extends { readonly version: string }>(versions: readonly T[]): T[] =>
  [...versions].sort((a, b) => compareVersions(parsed(b.version), parsed(a.version)));

/** The version that whoever names none gets: the newest release, or else the newest pre-release; null without any. */
export function currentOf(versions: readonly PublishedVersion[]): PublishedVersion | null {
  const available = newestFirst(versions.filter(({ withdrawn_at }) => withdrawn_at === null));
  return available.find(({ version }) => parsed(version).pre.length === 0) ?? available[0] ?? null;
}

/** Whether the first version is newer than the second. */
export const isNewer = (one: string, other: string): boolean => compareVersions(parsed(one), parsed(other)) > 0;

/** The versions with one more, or one that is there again. */
export function withVersion(versions: readonly PublishedVersion[], made: PublishedVersion): PublishedVersion[] {
  const others = versions.filter(({ version }) => version !== made.version);
  const there = versions.find(({ version }) => version === made.version);
  return [...others, there === undefined ? made : { ...there, withdrawn_at: null }];
}

/** The versions without those that are taken out, which stay on record; `version` null takes out all. */
export const withdrawn = (
  versions: readonly PublishedVersion[],
  version: string | null,
  at: string,
): PublishedVersion[] =>
  versions.map((each) =>
    each.withdrawn_at === null && (version === null || each.version === version) ? { ...each, withdrawn_at: at } : each,
  );

/** What is stored was parsed before. */
const parsed = (version: string): Version => parseVersion(version) ?? { major: 0, minor: 0, patch: 0, pre: [] };

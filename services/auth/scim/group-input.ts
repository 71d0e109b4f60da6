import { isObject, type JsonObject } from '../../../lib/json';
import { invalidValue, ScimError } from './errors';
import { valueOf } from './evaluate';
import type { ScimGroupDoc } from './models';
import { textOf } from './user-resource';

const MAX_MEMBERS = 5_000;

/** What a client says of a group. */
export type GroupInput = Pick<ScimGroupDoc, 'display_name' | 'display_name_key' | 'external_id' | 'members'>;

/** Members that an event lists. */
const MAX_RECORDED = 100;

/** A group as the audit log has it. */
export const stateOf = (group: GroupInput | null): JsonObject | null =>
  group === null
    ? null
    : { display_name: group.display_name, external_id: group.external_id, members: group.members.length };

/** Who came and went, for the audit log. */
export function changesOf(before: GroupInput | null, after: GroupInput): JsonObject {
  const [was, is] = [new Set(before?.members ?? []), new Set(after.members)];
  return {
    added: after.members.filter((id) => !was.has(id)).slice(0, MAX_RECORDED),
    removed: [...was].filter((id) => !is.has(id)).slice(0, MAX_RECORDED),
  };
}

/** Whose role may be another one: who came or went; all where the group has another name. */
export function affected(before: GroupInput, after: GroupInput): string[] {
  const [was, is] = [new Set(before.members), new Set(after.members)];
  const renamed = before.display_name !== after.display_name || before.external_id !== after.external_id;
  return [...new Set([...was, ...is])].filter((id) => renamed || was.has(id) !== is.has(id));
}

/** @throws ScimError invalidValue */
export function parseGroup(given: unknown): GroupInput {
  if (!isObject(given)) throw invalidValue('The body must be an object');
  const display_name = textOf(given, 'displayName')?.trim();
  if (display_name === undefined || display_name === '') throw invalidValue("'displayName' is required");
  const members = valueOf(given, 'members') ?? [];
  if (!Array.isArray(members)) throw invalidValue("'members' must be a list");
  const ids = new Set(members.map((each) => textOf(each, 'value') ?? ''));
  if (ids.has('')) throw invalidValue("Each of 'members' needs the 'value' of a user's id");
  if (ids.size > MAX_MEMBERS) throw new ScimError(400, 'tooMany', `A group has at most ${MAX_MEMBERS} members`);
  return {
    display_name,
    display_name_key: display_name.toLowerCase(),
    external_id: textOf(given, 'externalId') ?? null,
    members: [...ids],
  };
}

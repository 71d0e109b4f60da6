import { STALE_FOLDERS } from '../../../mixins/folders/tenant-folders';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { randomId } from '../../../lib/ids';
import type { JsonObject } from '../../../lib/json';
import { ofTenant } from '../../../lib/tenant';
import type { AuditChange } from '../../../mixins/audit';
import type { ScimCall } from './call';
import { invalidValue, notUnique, ScimError } from './errors';
import { requiredText, satisfies, textsOf } from './evaluate';
import { affected, changesOf, type GroupInput, parseGroup, stateOf } from './group-input';
import type { ScimGroupDoc } from './models';
import { applyPatch, type Shape } from './patch';
import { type Asked, assertMatches, chosen, isAsked, listOf, withMeta } from './resource';
import { applyGroupRoles } from './roles';
import { assertSortable, sorted, type SortedRow, sortKeyOf } from './sorting';
import { textMember } from './user-resource';

export const GROUP_URN = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const MAX_GROUPS = 1_000;
const BATCH = 20;
/** Members in one answer: a page has fewer groups where they are large. */
const MAX_LISTED_MEMBERS = 20_000;
const MAX_TRIES = 5;
/** Fields of groups in lists, without the members, which may be thousands. */
const FIELDS = ['display_name', 'external_id', 'revision', 'created_at', 'updated_at'];
const SORTABLE = ['id', 'externalid', 'displayname', 'meta.created', 'meta.lastmodified'] as const;

const GROUP_SHAPE: Shape = {
  attributes: { displayname: 'displayName', externalid: 'externalId', members: 'members' },
  lists: new Set(['members']),
  keyed: new Set(['members']),
  objects: new Set(),
  parts: { value: 'value' },
  readOnly: new Set(['id', 'meta', 'schemas']),
};

/** The groups of a tenant's identity provider. */
export class ScimGroups {
  constructor(private readonly call: ScimCall) {}

  /** @throws ScimError invalidValue for an attribute by which groups cannot be sorted */
  async list(asked: Asked): Promise<JsonObject> {
    const { sorting, startIndex, count } = asked;
    assertSortable(sorting, SORTABLE);
    const rows = await this.#matching(asked);
    const ids = (sorting === null ? rows : await sorted(rows, sorting, this.call.tenantId))
      .slice(startIndex - 1, startIndex - 1 + count)
      .map(({ id }) => id);
    return listOf(await this.#page(ids, asked), rows.length, startIndex);
  }

  /** The groups for which the filter holds, the oldest first. */
  async #matching(asked: Asked): Promise<SortedRow[]> {
    const { filter, sorting } = asked;
    const compared = filter === null ? null : textsOf(filter, 'members');
    const rows: SortedRow[] = [];
    const add = (group: ScimGroupDoc): void => {
      const resource = this.#resource({ ...group, members: group.members ?? [] });
      if (filter !== null && !satisfies(comparable(resource, compared), filter)) return;
      rows.push({ id: group._id, key: sorting === null ? null : sortKeyOf(resource, sorting) });
    };
    const options = { sort: { created_at: 1, _id: 1 } } as const;
    if (compared === null) (await this.#groups.find(narrowed(asked), { ...options, fields: FIELDS })).forEach(add);
    else
      for (let offset = 0, batch = BATCH; batch === BATCH; offset += BATCH) {
        const found = await this.#groups.find(narrowed(asked), { ...options, offset, limit: BATCH });
        found.forEach(add);
        batch = found.length;
      }
    return rows;
  }

  /** The groups of a page, as many as have room with their members. */
  async #page(ids: readonly string[], asked: Asked): Promise<JsonObject[]> {
    const needsMembers = isAsked(asked, 'members');
    const fields = needsMembers ? [...FIELDS, 'members'] : FIELDS;
    const page: JsonObject[] = [];
    let members = 0;
    for (let at = 0; at < ids.length; at += BATCH) {
      const batch = ids.slice(at, at + BATCH);
      const found = await this.#groups.find({ _id: { $in: batch } }, { fields });
      const byId = new Map(found.map((group) => [group._id, group]));
      for (const group of batch.flatMap((id) => byId.get(id) ?? [])) {
        if (members > MAX_LISTED_MEMBERS) return page;
        page.push(chosen(this.#resource({ ...group, members: group.members ?? [] }), asked));
        if (needsMembers) members += group.members.length;
      }
    }
    return page;
  }

  /** @throws ScimError 404 */
  async get(id: string): Promise<JsonObject> {
    return this.#resource(await this.#group(id));
  }

  async create(body: unknown): Promise<JsonObject> {
    const { parts, tenantId } = this.call;
    const input = parseGroup(body);
    await this.#assertUsers(input.members);
    if ((await this.#groups.count({})) >= MAX_GROUPS)
      throw new ScimError(409, null, `A workspace has at most ${MAX_GROUPS} groups; remove some`);
    const now = new Date(parts.app.clock.now());
    const group: ScimGroupDoc = {
      _id: randomId(),
      tenant_id: tenantId,
      ...input,
      revision: 1,
      created_at: now,
      updated_at: now,
    };
    await this.#audited('create', group, null, input, () => unique(() => this.#groups.insert(group)));
    await applyGroupRoles(this.call, input.members);
    await this.#changed();
    return this.#resource(group);
  }

  replace(id: string, body: unknown, ifMatch: string | undefined): Promise<JsonObject> {
    const input = parseGroup(body);
    return this.#change(id, ifMatch, () => input);
  }

  patch(id: string, body: unknown, ifMatch: string | undefined): Promise<JsonObject> {
    return this.#change(id, ifMatch, (before) => parseGroup(applyPatch(before, body, GROUP_SHAPE)));
  }

  async remove(id: string, ifMatch: string | undefined): Promise<void> {
    const group = await this.#group(id);
    assertMatches(this.#resource(group), ifMatch);
    await this.#audited('remove', group, group, null, () => this.#groups.remove({ _id: id }));
    await applyGroupRoles(this.call, group.members);
    await this.#changed();
  }

  /** Rights on folders follow groups. */
  async #changed(): Promise<void> {
    await this.call.parts.context?.invalidate(`${STALE_FOLDERS}${this.call.tenantId}`);
  }

  get #groups() {
    return ofTenant(this.call.parts.models.scimGroups, this.call.tenantId);
  }

  async #group(id: string): Promise<ScimGroupDoc> {
    const found = await this.#groups.findOne({ _id: id });
    if (found === null) throw new ScimError(404, null, `There is no group ${id.slice(0, 100)}`);
    return found;
  }

  #resource(group: ScimGroupDoc): JsonObject {
    const { base } = this.call;
    const resource = {
      schemas: [GROUP_URN],
      id: group._id,
      ...textMember('externalId', group.external_id),
      displayName: group.display_name,
      members: group.members.map((value) => ({ value, type: 'User', $ref: `${base}/Users/${value}` })),
    };
    const state = `${group._id} ${group.revision}`;
    return withMeta(resource, { type: 'Group', base, created: group.created_at, modified: group.updated_at, state });
  }

  /** Reads, changes and stores a group; again where it was changed by another request in between. */
  async #change(
    id: string,
    ifMatch: string | undefined,
    change: (before: JsonObject) => GroupInput,
  ): Promise<JsonObject> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const group = await this.#group(id);
      const before = this.#resource(group);
      assertMatches(before, ifMatch);
      const input = change(before);
      const known = new Set(group.members);
      await this.#assertUsers(input.members.filter((each) => !known.has(each)));
      const set = { ...input, updated_at: new Date(this.call.parts.app.clock.now()) };
      const unchanged = { _id: id, revision: group.revision };
      const stored = await this.#audited('update', group, group, input, () =>
        unique(() => this.#groups.update(unchanged, { $set: set, $inc: { revision: 1 } })),
      );
      if (stored === null) continue;
      await applyGroupRoles(this.call, affected(group, input));
      await this.#changed();
      return this.#resource(stored);
    }
    throw new ScimError(409, null, 'The group is being changed by other requests; send this one again');
  }

  /** @throws ScimError invalidValue for members who are no users of this tenant */
  async #assertUsers(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { parts, tenantId } = this.call;
    const persons = { _id: { $in: [...ids] }, is_service: { $exists: false } };
    const found = await ofTenant(parts.models.users, tenantId).find(persons, { fields: ['_id'] });
    const known = new Set(found.map(({ _id }) => _id));
    const unknown = ids.find((id) => !known.has(id));
    if (unknown !== undefined) throw invalidValue(`'members' has no user of this workspace: ${unknown.slice(0, 100)}`);
  }

  #audited<T>(
    verb: 'create' | 'update' | 'remove',
    { _id, display_name }: ScimGroupDoc,
    before: GroupInput | null,
    after: GroupInput | null,
    act: () => Promise<T>,
  ): Promise<T> {
    const { parts, who } = this.call;
    const change: AuditChange = {
      action: `scim_group.${verb}`,
      target: { type: 'scim_group', id: _id, name: display_name },
      before: stateOf(before),
      after: after === null ? null : { ...stateOf(after), ...changesOf(before, after) },
    };
    return parts.app.audit.audited(who, change, act);
  }
}

/** A group with those of its members alone that a filter is about, and one more, which shows that there are any. */
function comparable(group: JsonObject, compared: readonly string[] | null): JsonObject {
  if (compared === null) return { ...group, members: [] };
  const members = group.members as JsonObject[];
  const wanted = new Set(compared);
  return { ...group, members: [...members.slice(0, 1), ...members.filter(({ value }) => wanted.has(String(value)))] };
}

/** Of a filter what an index can find. */
function narrowed({ filter }: Asked): object {
  if (filter === null) return {};
  const id = requiredText(filter, 'id');
  const name = requiredText(filter, 'displayname')?.toLowerCase();
  const externalId = requiredText(filter, 'externalid');
  const member = requiredText(filter, 'members');
  return {
    ...(id === null ? {} : { _id: id }),
    ...(name === undefined ? {} : { display_name_key: name }),
    ...(externalId === null ? {} : { external_id: externalId }),
    ...(member === null ? {} : { members: member }),
  };
}

async function unique<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isDuplicateKey(error) ? notUnique('A group with this displayName exists already') : error;
  }
}

import { isDuplicateKey } from '../../../lib/duplicate-key';
import { randomId } from '../../../lib/ids';
import type { JsonObject } from '../../../lib/json';
import { ofTenant } from '../../../lib/tenant';
import { TimeSlice } from '../../../lib/time-slices';
import type { TenantDoc, UserDoc } from '../models';
import { ofUser } from '../records';
import { findSsoConfig } from '../sso/find-config';
import { type MembershipStatus, roleOf } from '../team/membership';
import type { ScimCall } from './call';
import { notUnique, ScimError } from './errors';
import { mentions, requiredText, satisfies } from './evaluate';
import { applyPatch } from './patch';
import { type Asked, assertMatches, chosen, listOf, withMeta } from './resource';
import { initialRole } from './roles';
import { assertSortable, sorted, type SortedRow, sortKeyOf } from './sorting';
import { groupsOf } from './user-groups';
import { FIELDS, narrowed, OLDEST_FIRST, PERSONS, SORTABLE } from './user-queries';
import { parseUser, USER_SHAPE, type UserInput, userResource, withFollowingAddress } from './user-resource';

/** Of persons; what a filter looks at is bounded by it, too. */
const MAX_USERS = 20_000;

type Roster = Pick<TenantDoc, 'owners' | 'leaving'>;

/** The persons of a tenant as SCIM users. Service accounts are no part of them. */
export class ScimUsers {
  constructor(private readonly call: ScimCall) {}

  /** @throws ScimError invalidValue for an attribute by which users cannot be sorted */
  async list(asked: Asked): Promise<JsonObject> {
    const { users, tenantId } = this.#scope;
    assertSortable(asked.sorting, SORTABLE);
    const tenant = await this.call.parts.membership.roster(tenantId);
    const { count, startIndex } = asked;
    const ofGroup = await this.#membersIn(asked);
    const filter = { ...PERSONS, _id: { $nin: tenant.leaving, ...ofGroup }, ...narrowed(asked) };
    if (asked.filter === null && asked.sorting === null) {
      const [total, found] = await Promise.all([
        users.count(filter),
        count === 0 ? [] : users.find(filter, { ...OLDEST_FIRST, offset: startIndex - 1, limit: count }),
      ]);
      return listOf(await this.#chosen(found, tenant, asked), total, startIndex);
    }
    const rows = await this.#matching(filter, tenant, asked);
    const ids = (asked.sorting === null ? rows : await sorted(rows, asked.sorting, tenantId))
      .slice(startIndex - 1, startIndex - 1 + count)
      .map(({ id }) => id);
    const found = ids.length === 0 ? [] : await users.find({ _id: { $in: ids } });
    const byId = new Map(found.map((user) => [user._id, user]));
    const page = ids.flatMap((id) => byId.get(id) ?? []);
    return listOf(await this.#chosen(page, tenant, asked), rows.length, startIndex);
  }

  /** The users for which the filter holds, the oldest first. */
  async #matching(narrow: object, tenant: Roster, { filter, sorting }: Asked): Promise<SortedRow[]> {
    const groups = filter !== null && mentions(filter, 'groups') ? await groupsOf(this.call, null) : null;
    const rows: SortedRow[] = [];
    const slice = new TimeSlice(this.call.tenantId);
    const all = this.#scope.users.each(narrow, { ...OLDEST_FIRST, limit: MAX_USERS, fields: FIELDS });
    for await (const user of all) {
      if (slice.due) await slice.pause();
      const resource = this.#resource({ user, role: roleOf(tenant, user) }, groups?.get(user._id));
      if (filter === null || satisfies(resource, filter))
        rows.push({ id: user._id, key: sorting === null ? null : sortKeyOf(resource, sorting) });
    }
    return rows;
  }

  async #chosen(users: readonly UserDoc[], tenant: Roster, asked: Asked): Promise<JsonObject[]> {
    const groups = await groupsOf(
      this.call,
      users.map(({ _id }) => _id),
    );
    return users.map((user) =>
      chosen(this.#resource({ user, role: roleOf(tenant, user) }, groups.get(user._id)), asked),
    );
  }

  /** What an index can find of a filter for the members of one group. */
  async #membersIn({ filter }: Asked): Promise<{ $in?: string[] }> {
    const id = filter === null ? null : requiredText(filter, 'groups');
    if (id === null) return {};
    const group = await ofTenant(this.call.parts.models.scimGroups, this.call.tenantId).findOne({ _id: id });
    return { $in: group?.members ?? [] };
  }

  /** @throws ScimError 404 */
  async get(id: string): Promise<JsonObject> {
    return this.#shown(await this.#member(id));
  }

  async create(body: unknown): Promise<JsonObject> {
    const { parts, tenantId, who } = this.call;
    const input = parseUser(body);
    const now = new Date(parts.app.clock.now());
    await this.#assertFree(input, null);
    if ((await ofTenant(parts.models.users, tenantId).count(PERSONS)) >= MAX_USERS)
      throw new ScimError(409, null, `A workspace has at most ${MAX_USERS} users; remove some`);
    const user: UserDoc = {
      _id: randomId(),
      tenant_id: tenantId,
      email: input.email,
      role: initialRole(await findSsoConfig(parts.models, tenantId)),
      password_hash: null,
      identities: [],
      // The provider of a tenant may say anything: only a mail, or a provider that is everybody's, confirms an address.
      email_verified_at: null,
      sessions_valid_from: null,
      last_sign_in_at: null,
      scim: { ...input.profile, updated_at: now },
      created_at: now,
      ...(input.active === false ? { deactivated_at: now } : {}),
    };
    const tenant = await parts.tenantOf(tenantId);
    const after = { role: user.role, via: 'scim', active: input.active !== false };
    await parts.app.audit.audited(who, ofUser('member.join', user, { after }), () =>
      unique(async () => {
        if (input.active !== false) await parts.memberQuota.seat(tenant, user);
        else await parts.models.users.create(user);
      }),
    );
    return this.get(user._id);
  }

  async replace(id: string, body: unknown, ifMatch: string | undefined): Promise<JsonObject> {
    const member = await this.#member(id);
    assertMatches(await this.#shown(member), ifMatch);
    return this.#store(member, parseUser(body));
  }

  async patch(id: string, body: unknown, ifMatch: string | undefined): Promise<JsonObject> {
    const member = await this.#member(id);
    const before = await this.#shown(member);
    assertMatches(before, ifMatch);
    return this.#store(member, parseUser(withFollowingAddress(before, applyPatch(before, body, USER_SHAPE))));
  }

  /** @throws AppError conflict for the last owner */
  async remove(id: string, ifMatch: string | undefined): Promise<void> {
    const { parts, tenantId, who } = this.call;
    const member = await this.#member(id);
    assertMatches(await this.#shown(member), ifMatch);
    const { user, role } = member;
    const change = ofUser('member.remove', user, { before: { role }, after: { via: 'scim' } });
    await parts.app.audit.audited(who, change, () => parts.membership.remove(tenantId, id));
    await parts.changed(`auth:user:${id}`);
  }

  get #scope() {
    const { parts, tenantId } = this.call;
    return { users: ofTenant(parts.models.users, tenantId), tenantId };
  }

  async #shown(member: MembershipStatus): Promise<JsonObject> {
    const { _id } = member.user;
    return this.#resource(member, (await groupsOf(this.call, [_id])).get(_id));
  }

  #resource({ user, role }: Pick<MembershipStatus, 'user' | 'role'>, groups: JsonObject[] = []): JsonObject {
    const { base } = this.call;
    const modified = user.scim?.updated_at ?? user.created_at;
    return withMeta(userResource(user, role, groups), { type: 'User', base, created: user.created_at, modified });
  }

  async #member(id: string): Promise<MembershipStatus> {
    const found = await this.call.parts.membership.find(this.call.tenantId, id);
    if (found === null || found.user.is_service === true) throw noSuchUser(id);
    return found;
  }

  /** Changes a user to what the client says: its profile, then whether it is active. */
  async #store(member: MembershipStatus, input: UserInput): Promise<JsonObject> {
    const { parts, tenantId, who } = this.call;
    const { user } = member;
    await this.#assertFree(input, user._id);
    // With the address of an owner one gets the password of an owner, by a mail that resets it.
    if (input.email !== user.email && member.role === 'owner')
      throw new ScimError(403, 'mutability', 'The e-mail address of an owner cannot be changed by SCIM');
    const isActive = user.deactivated_at === undefined;
    if (input.active === false && isActive) {
      const change = ofUser('member.deactivate', user, { before: { role: member.role }, after: { via: 'scim' } });
      await parts.app.audit.audited(who, change, () =>
        parts.membership.deactivate(tenantId, user._id, parts.app.clock.now()),
      );
      await parts.changed(`auth:user:${user._id}`);
    }
    if (input.active === true && !isActive) {
      await parts.memberQuota.check(await parts.tenantOf(tenantId));
      await parts.app.audit.audited(who, ofUser('member.reactivate', user, { after: { via: 'scim' } }), () =>
        this.#scope.users.update({ _id: user._id }, { $unset: { deactivated_at: 1 } }),
      );
      await parts.changed(`auth:user:${user._id}`);
    }
    await this.#storeProfile(user, input);
    return this.get(user._id);
  }

  async #storeProfile(user: UserDoc, { profile, email }: UserInput): Promise<void> {
    const { parts, who } = this.call;
    const before = { email: user.email, ...shownProfile(user) };
    const after = { email, ...profileOf(profile) };
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    const now = new Date(parts.app.clock.now());
    const address = email === user.email ? {} : { email, email_verified_at: null };
    await parts.app.audit.audited(who, ofUser('member.update', user, { before, after }), async () => {
      if (email !== user.email) await ofTenant(parts.models.mailTokens, user.tenant_id).remove({ user_id: user._id });
      await unique(() =>
        this.#scope.users.update({ _id: user._id }, { $set: { ...address, scim: { ...profile, updated_at: now } } }),
      );
    });
    await parts.changed(`auth:user:${user._id}`);
  }

  /** Names of users that no provider has named yet are their addresses. @throws ScimError uniqueness */
  async #assertFree({ profile, email }: UserInput, id: string | null): Promise<void> {
    const key = profile.user_name_key;
    const taken = await this.#scope.users.findOne({
      _id: { $ne: id ?? '' },
      $or: [{ 'scim.user_name_key': key }, { email: key, scim: { $exists: false } }, { email }],
    });
    if (taken !== null) throw alreadyThere();
  }
}

const profileOf = ({
  user_name,
  external_id,
  display_name,
  given_name,
  family_name,
  formatted,
}: UserInput['profile']) => ({
  user_name,
  external_id,
  display_name,
  given_name,
  family_name,
  formatted,
});

const shownProfile = ({ scim }: UserDoc): object => (scim === undefined ? {} : profileOf(scim));

async function unique<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isDuplicateKey(error) ? alreadyThere() : error;
  }
}

const alreadyThere = (): ScimError => notUnique('A user with this userName or e-mail address exists already');

const noSuchUser = (id: string): ScimError => new ScimError(404, null, `There is no user ${id.slice(0, 100)}`);

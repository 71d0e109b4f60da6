import type { SsoTestReport } from '../../../contracts/auth/sso';
import type { Json, JsonObject } from '../../../lib/json';
import type { Role } from '../../../lib/roles';
import type { SsoConfigDoc } from './models';
import { roleFor } from './roles';
import type { Assertion } from './saml/response';

type Problem = SsoTestReport['problems'][number];
type Claims = SsoTestReport['claims'];

/** What is known here of the user whom a provider has sent. */
export interface KnownUser {
  readonly email: string;
  /** Null: no account. */
  readonly account: { readonly role: Role; readonly active: boolean } | null;
  readonly claimed: readonly string[];
  /** Of groups that SCIM has provisioned, where the mapping knows them. */
  readonly provisioned: readonly string[];
  /** Whether the plan has room for one more member. */
  readonly hasRoom: boolean;
}

const MAX_CLAIMS = 100;
const MAX_VALUE_CHARS = 500;
const MAX_NAME_CHARS = 200;
const MAX_GROUPS = 100;
/** Parts of the protocol and of sessions at the provider, which say nothing of the user. */
const HIDDEN = new Set(['nonce', 'at_hash', 'c_hash', 's_hash', 'sid', 'jti', 'iat', 'exp', 'nbf', 'auth_time', 'azp']);

const shortened = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}...` : text);
const textOf = (value: Json | undefined): string =>
  shortened(typeof value === 'string' ? value : JSON.stringify(value ?? null), MAX_VALUE_CHARS);

const isSecret = (name: string): boolean => HIDDEN.has(name) || /token|secret|password/i.test(name);

export const shownClaims = (claims: JsonObject): Claims =>
  Object.entries(claims)
    .filter(([name]) => !isSecret(name))
    .slice(0, MAX_CLAIMS)
    .map(([name, value]) => ({ name: shortened(name, MAX_NAME_CHARS), value: textOf(value) }));

export const shownAssertion = ({ issuer, nameId, attributes }: Assertion): Claims => [
  { name: 'Issuer', value: textOf(issuer) },
  { name: 'NameID', value: textOf(nameId.value) },
  { name: 'NameID format', value: textOf(nameId.format) },
  ...shownClaims(
    Object.fromEntries(
      Object.entries(attributes).map(([name, [first, ...others]]) => [
        name,
        others.length === 0 ? (first ?? '') : [first ?? '', ...others],
      ]),
    ),
  ),
];

/** The report of a sign-in that ended before a user was known. */
export const failedReport = (problem: Problem, claims: Claims = []): SsoTestReport => ({
  claims,
  user: null,
  groups: [],
  problems: [problem],
});

type Settings = Pick<SsoConfigDoc, 'role_mapping' | 'default_role' | 'enabled' | 'provider'>;

/** What a sign-in of this user would do, by the rules of the sign-in itself. Pure. */
export function userReport(config: Settings, claims: Claims, user: KnownUser): SsoTestReport {
  const { account, claimed, provisioned } = user;
  const groups = provisioned.length > 0 ? provisioned : claimed;
  const mapped = roleFor(config, groups);
  const isOwner = account?.role === 'owner';
  const keepsRole = account !== null && (isOwner || config.role_mapping === null);
  const byGroups = roleFor({ ...config, default_role: null }, groups) !== null;
  const role = mapped === null ? null : keepsRole ? account.role : mapped;
  return {
    claims,
    user: {
      email: user.email,
      account: account === null ? 'new' : account.active ? 'existing' : 'deactivated',
      role: account?.active === false ? null : role,
      decided_by: keepsRole ? 'account' : !byGroups ? 'default' : provisioned.length > 0 ? 'scim' : 'claim',
    },
    groups: groups.slice(0, MAX_GROUPS).map((group) => shortened(group, MAX_VALUE_CHARS)),
    problems: problemsOf(config, user, mapped),
  };
}

function problemsOf(
  config: Settings,
  { account, claimed, provisioned, hasRoom }: KnownUser,
  mapped: Role | null,
): Problem[] {
  const { role_mapping: mapping } = config;
  const problems: Problem[] = [];
  if (mapped === null)
    problems.push({
      severity: 'error',
      where: 'role mapping',
      message: 'None of the groups of this user is in the role mapping, and there is no default role',
      action: 'Add one of the received groups to the mapping, or choose a default role',
    });
  if (mapping !== null && claimed.length === 0 && provisioned.length === 0)
    problems.push({
      severity: 'warning',
      where: `claim ${shortened(mapping.claim, MAX_NAME_CHARS)}`,
      message: `The provider has sent no "${shortened(mapping.claim, MAX_NAME_CHARS)}", which the role mapping reads`,
      action:
        'Let the provider send the groups under this name, or change the name in the mapping to one of the received',
    });
  if (account?.active === false)
    problems.push({
      severity: 'error',
      where: 'account',
      message: 'The account of this address is deactivated',
      action: 'Activate the user at the identity provider, which provisions it by SCIM',
    });
  if (account === null && !hasRoom)
    problems.push({
      severity: 'error',
      where: 'plan',
      message: 'The plan has no room for another member',
      action: 'Remove a member, or change the plan',
    });
  if (!config.enabled)
    problems.push({
      severity: 'warning',
      where: 'enabled',
      message: 'Single sign-on is off, so that no user can sign in by it yet',
      action: 'Switch it on and save the settings',
    });
  return problems;
}

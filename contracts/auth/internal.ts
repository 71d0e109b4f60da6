import type { Session, TenantView } from './accounts';
import { identifierText, userAgent } from './params';
import { actions } from '../contract';
import { PLAN_NAMES } from '../../lib/plans';
import { ROLES } from '../../lib/roles';
import * as s from '../../lib/schema';

export const internalActions = actions({
  /** A session for a user whom an identity provider has authenticated. The user is found by the identity (`via`, `subject`), else by the e-mail address, else created when `create` or an invitation allows it. With `sync_role`, the role is set again; no mapping makes an owner, or takes one away. */
  sign_in: {
    access: 'internal',
    summary: 'A session for a user whom an identity provider has authenticated',
    params: {
      tenant_id: identifierText(100),
      email: { type: 'email', normalize: true, mode: 'precise', max: 254 },
      role: { type: 'enum', values: [...ROLES] },
      sync_role: 'boolean',
      create: 'boolean',
      via: { type: 'enum', values: ['oidc', 'saml', 'suite'] },
      subject: identifierText(1_000),
      user_agent: userAgent,
    },
    result: s.typed<Session>(),
  },
  /** The plan of the caller's tenant; with `organization`, also what it belongs to (null: to none). */
  set_plan: {
    access: 'internal',
    summary: "Changes the tenant's plan, and the organization that it belongs to when one is named",
    params: {
      plan: { type: 'enum', values: [...PLAN_NAMES] },
      organization: { type: 'string', optional: true, nullable: true, max: 100 },
    },
    result: s.typed<TenantView>(),
  },
  /** Ids and addresses of the tenant's owners. */
  owners: {
    access: 'internal',
    repeatable: true,
    summary: "Who the tenant's owners are, and how to write to them",
    params: {},
    result: s.typed<{ data: { id: string; email: string }[] }>(),
  },
  /** Confirmed addresses of members: of those named, of the owners (`owners`), of the owners and admins (`admins`). */
  mailboxes: {
    access: 'internal',
    repeatable: true,
    summary: 'Confirmed addresses of members, by address or role',
    params: { to: { type: 'array', items: { type: 'string', max: 254 }, max: 100 } },
    result: s.typed<{ data: string[] }>(),
  },
  /** Members, among them service accounts, by id or e-mail address, and groups of the identity provider by id. */
  subjects: {
    access: 'internal',
    repeatable: true,
    summary: 'Members and groups by id or e-mail address',
    params: { refs: { type: 'array', items: { type: 'string', max: 254 }, max: 1_000 } },
    result: s.typed<{ members: { id: string; email: string }[]; groups: { id: string; name: string }[] }>(),
  },
  /** How many members the tenant has. */
  seats: {
    access: 'internal',
    repeatable: true,
    summary: 'How many members the tenant has',
    params: {},
    result: s.typed<{ members: number }>(),
  },
});

import { Session } from './accounts';
import { address, role, userAgent, email, newPassword, secretText, teamRole } from './params';
import { actions } from '../contract';
import { id } from '../rules';
import { pageParams } from '../../lib/page';
import { ROLES } from '../../lib/roles';
import * as s from '../../lib/schema';

export const MemberView = s.named(
  'MemberView',
  s.object({
    id: s.text,
    email: s.text.about('Of a service account `service:` and its name.'),
    kind: s.words('person', 'service').about('A service account has API keys, and cannot sign in.'),
    role: s.words(...ROLES),
    active: s.boolean.about('False: the identity provider has deactivated the member, whose credentials are refused.'),
    email_verified: s.boolean,
    second_factor: s.boolean.about('Whether the member has one.'),
    sign_in: s
      .array(s.words('oidc', 'passkey', 'password', 'saml', 'suite'))
      .about('Ways in which the member can sign in.'),
    created_at: s.text,
    last_sign_in_at: s.text.nullable(),
  }),
  'A member, as the administrators of the tenant see it.',
);
export type MemberView = s.Infer<typeof MemberView>;

export const InviteView = s.named(
  'InviteView',
  s.object({
    id: s.text,
    email: s.text,
    role: s.words(...ROLES),
    status: s.words('expired', 'pending'),
    invited_by: s.text,
    created_at: s.text,
    expires_at: s.text,
  }),
  'An invitation that has not been accepted, without its token.',
);
export type InviteView = s.Infer<typeof InviteView>;

export const teamActions = actions({
  members: {
    rest: 'GET /api/v1/team/members',
    access: 'admin',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Members and their roles',
    params: pageParams,
    result: s.listed(MemberView),
  },
  invite: {
    rest: 'POST /api/v1/team/invite',
    status: 201,
    access: 'admin',
    idempotency: 'replay',
    given: ['origin'],
    integrators: true,
    summary: 'Invites a person by e-mail',
    description:
      '`invite_url` carries the token, and is shown only to the inviter; `mailed`: a mail has been sent, too.',
    params: { email, role: teamRole, origin: { type: 'string', max: 500, optional: true, nullable: true } },
    result: InviteView.extend({
      invite_url: s.text,
      mailed: s.boolean,
    }),
    errors: ['forbidden', 'conflict', 'quota_exceeded'],
  },
  invites: {
    rest: 'GET /api/v1/team/invites',
    access: 'admin',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Invitations that are not accepted yet',
    params: pageParams,
    result: s.listed(InviteView),
  },
  withdraw_invite: {
    rest: 'DELETE /api/v1/team/invites/:id',
    status: 204,
    access: 'admin',
    integrators: true,
    summary: 'Withdraws an invitation',
    params: { id },
    result: s.nothing,
    errors: ['not_found'],
  },
  create_service_account: {
    rest: 'POST /api/v1/team/service-accounts',
    status: 201,
    access: 'admin',
    idempotency: 'replay',
    integrators: true,
    summary: 'Creates a service account: a member that has API keys, and cannot sign in',
    description:
      'It counts as a member. `POST /api/v1/api-keys` with `service_account_id` makes its keys, which stay when the person who made them leaves. Its role is changed, and it is removed, as those of other members are.',
    params: {
      name: {
        type: 'string',
        pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
        messages: { stringPattern: "The 'name' must be 1 to 63 lower-case letters, digits and hyphens." },
      },
      role,
    },
    result: MemberView,
    errors: ['conflict', 'quota_exceeded'],
  },
  accept_invite: {
    rest: 'POST /api/v1/auth/accept-invite',
    access: 'gateway',
    given: ['address', 'user_agent'],
    summary: 'Creates the user of an invitation, and signs the user in',
    description: 'Answers like a login.',
    params: { token: secretText, password: newPassword, address, user_agent: userAgent },
    result: Session,
    errors: ['invalid_token', 'conflict', 'quota_exceeded', 'sso_required'],
  },
  set_role: {
    rest: 'PUT /api/v1/team/members/:id/role',
    access: 'owner',
    integrators: true,
    summary: 'Changes the role of a member',
    params: { id, role: teamRole },
    result: MemberView,
    errors: ['not_found', 'conflict'],
  },
  end_member_sessions: {
    rest: 'DELETE /api/v1/team/members/:id/sessions',
    status: 204,
    access: 'admin',
    whileSuspended: true,
    integrators: true,
    summary: 'Ends all sessions of a member; only owners end those of owners',
    params: { id },
    result: s.nothing,
    errors: ['not_found', 'forbidden'],
  },
  remove_member: {
    rest: 'DELETE /api/v1/team/members/:id',
    status: 204,
    access: 'owner',
    whileSuspended: true,
    integrators: true,
    summary: 'Removes a member with its API keys',
    params: { id },
    result: s.nothing,
    errors: ['not_found', 'conflict'],
  },
});

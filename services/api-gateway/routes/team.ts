import { json, type Given, type Route } from './route';

/** The address is the one that the gateway saw, whatever the body says: throttles count by it. */
const counted = <B>({ body, address }: Given) => ({ ...(body as { readonly [P in keyof B]: unknown }), address });

/** Sessions and passwords of people, and the people of a tenant. */
export const teamRoutes: readonly Route[] = [
  json('GET /api/v1/me', 'auth.me', { summary: 'Who the credential belongs to' }),
  json('POST /api/v1/auth/logout', 'auth.logout', {
    status: 204,
    summary: "Ends the token's session; with `everywhere`, all of the user's",
    params: ({ body, token }) => ({ everywhere: body.everywhere, token }),
  }),
  json('POST /api/v1/auth/password', 'auth.change_password', {
    summary: 'Changes the password; the other sessions end',
    params: counted<{ current_password: string; new_password: string }>,
  }),
  json('POST /api/v1/auth/password-reset', 'auth.request_password_reset', {
    access: 'public',
    status: 202,
    summary: 'Mails a link to set a new password, if there is such an account',
    params: counted<{ tenant_slug: string; email: string }>,
  }),
  json('POST /api/v1/auth/password-reset/confirm', 'auth.confirm_password_reset', {
    access: 'public',
    status: 204,
    summary: 'Sets a new password by the token of a mail',
    params: counted<{ token: string; password: string }>,
  }),
  json('POST /api/v1/auth/verify-email', 'auth.verify_email', {
    access: 'public',
    summary: 'Confirms an e-mail address by the token of a mail',
    params: counted<{ token: string }>,
  }),
  json('POST /api/v1/auth/verify-email/resend', 'auth.resend_verification', {
    status: 202,
    summary: 'Mails the link that confirms the address anew',
  }),
  json('POST /api/v1/auth/accept-invite', 'auth.accept_invite', {
    access: 'public',
    summary: 'Makes the user of an invitation, and signs him in',
    params: counted<{ token: string; password: string }>,
  }),
  json('GET /api/v1/team/members', 'auth.members', { access: 'admin', summary: 'Members and their roles' }),
  json('PUT /api/v1/team/members/:id/role', 'auth.set_role', {
    access: 'owner',
    summary: 'Changes the role of a member',
  }),
  json('DELETE /api/v1/team/members/:id', 'auth.remove_member', {
    access: 'owner',
    status: 204,
    summary: 'Removes a member with his API keys',
  }),
  json('POST /api/v1/team/invite', 'auth.invite', {
    access: 'admin',
    status: 201,
    idempotency: 'replay',
    summary: 'Invites somebody by e-mail',
    params: ({ body, origin }) => ({ ...(body as { email: unknown; role: unknown }), origin }),
  }),
  json('GET /api/v1/team/invites', 'auth.invites', {
    access: 'admin',
    summary: 'Invitations that are not accepted yet',
  }),
  json('DELETE /api/v1/team/invites/:id', 'auth.withdraw_invite', {
    access: 'admin',
    status: 204,
    summary: 'Makes an invitation worthless',
  }),
];

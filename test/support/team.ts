import type { Role } from '../../lib/roles';
import type { Session } from '../../contracts/auth/accounts';
import { ask } from './http';
import type { TestApp } from './app';

export const PASSWORD = 'correct horse battery';

/** Invites a person over HTTP. Returns the token of the invitation. */
export async function invite(app: TestApp, by: string, email: string, role: Role = 'member'): Promise<string> {
  const { status, body } = await ask(app, 'POST /api/v1/team/invite', { token: by, body: { email, role } });
  if (status !== 201) throw new Error(`The invitation was refused: ${JSON.stringify(body)}`);
  return new URL(body.invite_url as string).searchParams.get('token') as string;
}

/** Creates a user in the tenant of the token, by an accepted invitation. */
export async function join(app: TestApp, by: string, email: string, role: Role = 'member'): Promise<Session> {
  const token = await invite(app, by, email, role);
  const answer = await ask(app, 'POST /api/v1/auth/accept-invite', { body: { token, password: PASSWORD } });
  if (answer.status !== 200) throw new Error(`The invitation could not be accepted: ${JSON.stringify(answer.body)}`);
  return answer.body as unknown as Session;
}

import { parseArgs } from 'node:util';
import { sessionsEnded } from '../services/auth/sessions/sessions';
import { runTool } from './store-tool';

const USAGE = `usage: npm run second-factor -- remove TENANT EMAIL [--url mongodb://...]   removes the second factors of an account
       npm run second-factor -- waive TENANT [--url mongodb://...]          the tenant no longer requires one`;

interface Tenant {
  _id: string;
  slug: string;
}

interface User {
  _id: string;
  tenant_id: string;
  email: string;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** `npm run second-factor`: the operator's way out for owners who have lost their second factor. */
runTool(async (withDatabase) => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { url: { type: 'string' } } });
  const [command, slug, email] = positionals;
  const isRemoval = command === 'remove' && email !== undefined;
  if (slug === undefined || (!isRemoval && command !== 'waive')) throw new Error(USAGE);
  await withDatabase(values.url, async (db) => {
    const tenants = db.collection<Tenant>('tenants');
    const tenant = await tenants.findOne({ slug });
    if (tenant === null) throw new Error(`There is no tenant ${slug}`);
    if (!isRemoval) {
      await tenants.updateOne({ _id: tenant._id }, { $set: { require_second_factor: false } });
      say(`${slug} no longer requires a second factor.`);
      return;
    }
    const { matchedCount } = await db
      .collection<User>('users')
      .updateOne(
        { tenant_id: tenant._id, email: email.toLowerCase() },
        { $unset: { totp: 1, recovery_codes: 1 }, $set: sessionsEnded(Date.now()) },
      );
    if (matchedCount === 0) throw new Error(`${slug} has no member with the address ${email}`);
    say(`${email} of ${slug} signs in without a second factor now; the sessions of the account are ended.`);
  });
});

import { parseArgs } from 'node:util';
import { removeFactors, waiveFactors } from '../services/auth/factors/operator';
import { openParts } from './operator-tool';
import { runTool } from './store-tool';

const USAGE = `usage: npm run second-factor -- remove TENANT EMAIL [--url mongodb://...]   removes the second factors of an account
       npm run second-factor -- waive TENANT [--url mongodb://...]          the tenant no longer requires one`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** `npm run second-factor`: the operator's way out for owners who have lost their second factor. */
runTool(async (withDatabase) => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { url: { type: 'string' } } });
  const [command, slug, email] = positionals;
  const isRemoval = command === 'remove' && email !== undefined;
  if (slug === undefined || (!isRemoval && command !== 'waive')) throw new Error(USAGE);
  await withDatabase(values.url, async (db) => {
    const parts = await openParts(db);
    if (isRemoval) {
      await removeFactors(parts, slug, email);
      say(`${email} of ${slug} signs in without a second factor now; the sessions of the account are ended.`);
    } else {
      await waiveFactors(parts, slug);
      say(`${slug} no longer requires a second factor.`);
    }
    await parts.audit.settled();
    say('A running service takes this into account within seconds.');
  });
});

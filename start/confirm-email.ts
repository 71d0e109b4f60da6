import { parseArgs } from 'node:util';
import { confirmEmail } from '../services/auth/confirm-email';
import { openParts } from './operator-tool';
import { runTool } from './store-tool';

const USAGE =
  'usage: npm run confirm-email -- ADDRESS [WORKSPACE] [--url mongodb://...]   confirms the e-mail address of an account without a mail';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** `npm run confirm-email`: confirms addresses where no mails are sent, those of OPERATORS above all. */
runTool(async (withDatabase) => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { url: { type: 'string' } } });
  const [email, workspace, ...more] = positionals;
  if (email === undefined || more.length > 0) throw new Error(USAGE);
  await withDatabase(values.url, async (db) => {
    const parts = await openParts(db);
    const { operators } = parts.config;
    const { slug, isNew, isProof } = await confirmEmail(parts, { email, slug: workspace, operators });
    await parts.audit.settled();
    say(`The address ${email} of ${slug} ${isNew ? 'is confirmed.' : 'was confirmed already.'}`);
    if (!isProof)
      say('It does not count for OPERATORS: an identity provider of the workspace has signed in to the account.');
    else if (isNew) say('A running service takes this into account within seconds.');
  });
});

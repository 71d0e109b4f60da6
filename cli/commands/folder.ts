import { FOLDER_RIGHTS, type FolderAccess } from '../../lib/folder-rights';
import type { JsonObject } from '../../lib/json';
import { command } from '../command';
import { CliError } from '../exits';
import type { Session } from '../session';
import { textAt } from '../workflows';

const MAX_FOLDERS = 10_000;
const FOLDER = { name: 'FOLDER' } as const;
const GROUP = 'group:';

const pathOf = (folder: string): string => `/api/v1/folders/${encodeURIComponent(folder)}/access`;

/** A grant of `ada@example.com=run` or `group:ID=view`. @throws CliError usage */
function grantOf(text: string): JsonObject {
  // An address may contain an equals sign.
  const at = text.lastIndexOf('=');
  const [who, right] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (who === '' || !FOLDER_RIGHTS.some((each) => each === right))
    throw new CliError('usage', `"${text}" is no grant, such as ada@example.com=run: ${FOLDER_RIGHTS.join(', ')}`);
  return who.startsWith(GROUP)
    ? { kind: 'group', id: who.slice(GROUP.length), right }
    : { kind: 'member', id: who, right };
}

const grantsOf = (view: JsonObject): JsonObject[] => (Array.isArray(view.grants) ? (view.grants as JsonObject[]) : []);

function answer(session: Session, view: JsonObject): void {
  const { out } = session.world;
  session.answer(view, () => {
    out.line(`${textAt(view, 'folder')} is ${textAt(view, 'access')}; your right is ${textAt(view, 'right')}`);
    if (grantsOf(view).length > 0)
      out.table(
        ['NAME', 'KIND', 'RIGHT', 'ID'],
        grantsOf(view).map((grant) => [
          textAt(grant, 'name'),
          textAt(grant, 'kind'),
          textAt(grant, 'right'),
          textAt(grant, 'id'),
        ]),
      );
  });
}

/** Lists folders with the right of the caller. */
export const list = command({
  name: 'folder list',
  summary: 'Lists folders of workflows and your right on each',
  async run({ session }) {
    const { client, world } = session;
    const rows = await client.list('/api/v1/folders', MAX_FOLDERS);
    session.answer(rows, () =>
      world.out.table(
        ['FOLDER', 'WORKFLOWS', 'RESTRICTED', 'YOUR RIGHT'],
        rows.map((row) => [
          textAt(row, 'folder') === '' ? '(no folder)' : textAt(row, 'folder'),
          textAt(row, 'workflows'),
          row.restricted === true ? 'yes' : 'no',
          textAt(row, 'right'),
        ]),
      ),
    );
    return 'ok';
  },
});

/** Shows the rules of a folder. */
export const access = command({
  name: 'folder access',
  summary: 'Shows who may do what with the workflows of a folder',
  args: [FOLDER],
  async run({ session, args: [folder = ''] }) {
    answer(session, await session.client.call('GET', pathOf(folder)));
    return 'ok';
  },
});

const setter = (name: string, summary: string, folderAccess: FolderAccess) =>
  command({
    name,
    summary,
    args: [FOLDER, { name: 'MEMBER=RIGHT', optional: true, many: true }],
    notes: [
      `A right is ${FOLDER_RIGHTS.join(', ')}. A member is an e-mail address or an id; group:ID is a group of the identity provider.`,
      'The grants replace those of before.',
    ],
    async run({ session, args: [folder = '', ...grants] }) {
      const body = { access: folderAccess, grants: grants.map(grantOf) };
      answer(session, await session.client.call('PUT', pathOf(folder), body));
      return 'ok';
    },
  });

/** Restricts a folder to those who are named. */
export const restrict = setter(
  'folder restrict',
  'Restricts a folder to admins, owners and those who are named',
  'restricted',
);

/** Opens a folder to the members that its parent is open to, and gives more rights to those who are named. */
export const open = setter('folder open', 'Opens a folder; those who are named have more rights', 'open');

/** Removes the rules of a folder. */
export const reset = command({
  name: 'folder reset',
  summary: 'Removes the rules of a folder; those of the folders that contain it decide',
  args: [FOLDER],
  async run({ session, args: [folder = ''] }) {
    await session.client.call('DELETE', pathOf(folder));
    session.answer({ folder }, () => session.world.out.line(`${folder} has no rules of its own`));
    return 'ok';
  },
});

import { actions } from '../contract';
import { FOLDER_ACCESS, FOLDER_RIGHTS } from '../../lib/folder-rights';
import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';
import { folderParam } from './params';

const right = s.words(...FOLDER_RIGHTS);
const access = s.words(...FOLDER_ACCESS);
const MAX_GRANTS = 100;

const FolderGrantView = s.object({
  kind: s.words('member', 'group'),
  id: s.text,
  name: s.text.nullable().about('E-mail address of the member, or name of the group; null for one that is gone.'),
  right,
});

const FolderAccessView = s.named(
  'FolderAccess',
  s.object({
    folder: s.text,
    access,
    grants: s.array(FolderGrantView),
    inherited: s
      .array(s.object({ folder: s.text, access, grants: s.array(FolderGrantView) }))
      .about('The rules of the folders that contain it, from the outermost one.'),
    right: right.about('Of the caller.'),
    revision: s.number.about('Rises with each change; 0 where the folder has no rules of its own.'),
    updated_at: s.text.nullable(),
    updated_by: s.text.nullable(),
  }),
  'Who may do what with the workflows of a folder.',
);

/** Rights on folders, see docs/folders.md. */
export const folderActions = actions({
  folder_list: {
    rest: 'GET /api/v1/folders',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Folders of workflows and those with rules, by name, with the right of the caller',
    params: pageParams,
    result: s.listed(
      s.object({
        folder: s.text,
        workflows: s.number.about('In it, not in folders in it.'),
        restricted: s.boolean.about('By its own rules or by those of a folder that contains it.'),
        has_rules: s.boolean.about('Of its own.'),
        right,
      }),
    ),
  },
  folder_access: {
    rest: 'GET /api/v1/folders/:folder/access',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Who may do what with the workflows of a folder',
    description: 'The name of the folder is percent-encoded: `Sales%2FOrders`.',
    params: { folder: folderParam },
    result: FolderAccessView,
    errors: ['not_found'],
  },
  set_folder_access: {
    rest: 'PUT /api/v1/folders/:folder/access',
    access: 'member',
    integrators: true,
    summary: 'Replaces the rules of a folder, by someone who manages it',
    description:
      '`restricted`: only admins, owners and those who are named have rights. `id` of a grant: of a member or a group, or the e-mail address of a member. `revision`: of the rules that were changed; 409 when they have changed since.',
    params: {
      folder: folderParam,
      access: { type: 'enum', values: [...FOLDER_ACCESS] },
      grants: {
        type: 'array',
        max: MAX_GRANTS,
        items: {
          type: 'object',
          props: {
            kind: { type: 'enum', values: ['member', 'group'] },
            id: { type: 'string', min: 1, max: 254 },
            right: { type: 'enum', values: [...FOLDER_RIGHTS] },
          },
        },
      },
      revision: { type: 'number', integer: true, min: 0, optional: true },
    },
    result: FolderAccessView,
    errors: ['not_found', 'conflict', 'quota_exceeded'],
  },
  remove_folder_access: {
    rest: 'DELETE /api/v1/folders/:folder/access',
    status: 204,
    access: 'member',
    integrators: true,
    summary: 'Removes the rules of a folder; what contains it decides',
    params: { folder: folderParam },
    result: s.nothing,
    errors: ['not_found', 'conflict'],
  },
});

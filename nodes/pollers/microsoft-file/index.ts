import { isObject, type JsonObject } from '../../../lib/json';
import { microsoft } from '../../connectors/microsoft';
import { urlPath } from '../../connectors/http/path';
import { textAt } from '../../connectors/values';
import type { Poller, PollItem } from '../contract';
import { readDelta } from '../delta';
import { textIn } from '../json';
import { providerClient } from '../provider-client';

/** Created and changed at once: the two times differ by little. */
const NEW_WITHIN_MS = 2_000;

const timeOf = (item: JsonObject): string | null => textIn(item, 'lastModifiedDateTime');

/** Whether it is a file that exists, in the folder if one is named. */
const isWanted = (item: JsonObject, folder: string | undefined): boolean =>
  isObject(item.file) &&
  item.deleted === undefined &&
  textIn(item, 'id') !== null &&
  (folder === undefined || textAt(item, 'parentReference', 'id') === folder);

function itemOf(file: JsonObject): PollItem {
  const id = String(file.id);
  const changed = timeOf(file) ?? '';
  const isNew = Math.abs(Date.parse(changed) - Date.parse(textIn(file, 'createdDateTime') ?? '')) < NEW_WITHIN_MS;
  const trigger = {
    id,
    change: isNew ? 'created' : 'updated',
    name: textIn(file, 'name'),
    path: textAt(file, 'parentReference', 'path') ?? null,
    size: typeof file.size === 'number' ? file.size : null,
    content_type: textAt(file, 'file', 'mimeType') ?? null,
    changed_at: changed,
    link: textIn(file, 'webUrl'),
    file,
  };
  // The content tag stays the same when a file is renamed, moved or shared.
  return { id: `${id} ${textIn(file, 'cTag') ?? changed}`, trigger };
}

/** Files of OneDrive or of a SharePoint site that are uploaded, or whose content changes. */
export const microsoftFile: Poller = {
  type: 'microsoft_file',
  async poll(context) {
    const { config } = context;
    const request = await providerClient(context, microsoft);
    const folder = typeof config.folder === 'string' ? config.folder : undefined;
    const drive = config.drive === undefined ? '/me/drive' : urlPath`/drives/${config.drive}`;
    const source = {
      path: `${drive}/root/delta`,
      first: { token: 'latest' },
      again: () => ({}),
      timeOf,
    };
    const { items, ...rest } = await readDelta(request, source, context);
    return { kind: 'items', items: items.filter((item) => isWanted(item, folder)).map(itemOf), ...rest };
  },
};

import { type Archive, partName } from '../../archive';
import { readXml } from '../../xml';

/** A part of an Office document that another one refers to. */
interface Related {
  readonly id: string;
  /** The last word of its type, such as `slide`; the rest differs between the two editions of the standard. */
  readonly type: string;
  readonly name: string;
}

/** The parts that a part refers to (ECMA-376, Open Packaging Conventions); '' for the document as a whole. */
export function relatedTo(archive: Archive, part: string): Related[] {
  const slash = part.lastIndexOf('/') + 1;
  const content = archive.find(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`);
  if (content === null) return [];
  const related: Related[] = [];
  readXml(content, {
    open: (tag) => {
      // External targets are not fetched.
      if (tag.name !== 'Relationship' || tag.attribute('TargetMode') === 'External') return;
      const type = tag.attribute('Type').split('/').at(-1) ?? '';
      related.push({ id: tag.attribute('Id'), type, name: partName(part, tag.attribute('Target')) });
    },
  });
  return related;
}

/** The main part, and the kind of document by its content type; null if the archive is not an Office document. */
export function mainPart(archive: Archive): { readonly name: string; readonly contentType: string } | null {
  const types = archive.find('[Content_Types].xml');
  const name = relatedTo(archive, '').find(({ type }) => type === 'officeDocument')?.name;
  if (types === null || name === undefined) return null;
  let contentType = '';
  readXml(types, {
    open: (tag) => {
      if (tag.name === 'Override' && partName('', tag.attribute('PartName')) === name)
        contentType = tag.attribute('ContentType');
    },
  });
  return { name, contentType };
}

/** The title in the document's properties; null without one. */
export function titleOf(archive: Archive): string | null {
  const name = relatedTo(archive, '').find(({ type }) => type === 'core-properties')?.name;
  const content = name === undefined ? null : archive.find(name);
  if (content === null) return null;
  let title = '';
  let inTitle = false;
  readXml(content, {
    open: ({ name: tag }) => {
      inTitle = tag === 'title';
    },
    text: (text) => {
      if (inTitle) title += text;
    },
    close: () => {
      inTitle = false;
    },
  });
  return title.trim().slice(0, 300) || null;
}

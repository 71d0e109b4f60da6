import { setImmediate } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
import { type Feed, type FeedItem, MOST_ITEMS, NotAFeed, timeOf } from './shape';

const MOST_DEPTH = 100;
/** Characters that are read at a time: nothing behind the last entry that is wanted is looked at. */
const PIECE = 64 * 1024;
const LONGEST_TEXT = 256 * 1024;
const MOST_OF_ONE_KIND = 100;

/** Names of HTML that feeds use all the same, though XML does not know them. */
const ENTITIES: Readonly<Record<string, string>> = {
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  euro: '€',
  pound: '£',
  deg: '°',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
};

const ROOTS: ReadonlySet<string> = new Set(['rss', 'rdf:RDF', 'feed']);
const ENTRIES: ReadonlySet<string> = new Set(['item', 'entry']);
/** What holds the members of a feed: nothing of it is a member of anything. */
const SHELLS: ReadonlySet<string> = new Set(['rss', 'rdf:RDF', 'feed', 'channel']);

/** An element whose end has not come. */
interface Open {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** Members of a feed or an entry by name: texts, in order. */
type Members = Map<string, { readonly text: string; readonly attributes: Readonly<Record<string, string>> }[]>;

class Enough extends Error {}

/** Reads RSS or Atom, up to MOST_ITEMS entries, and fetches nothing. @throws NotAFeed */
export async function readXmlFeed(text: string): Promise<Feed> {
  const reading = new Reading();
  try {
    for (let at = 0; at < text.length; at += PIECE) {
      reading.parser.write(text.slice(at, at + PIECE));
      if (at + PIECE < text.length) await setImmediate();
    }
    reading.parser.close();
  } catch (fault) {
    if (!(fault instanceof Enough)) throw fault;
  }
  return reading.feed();
}

class Reading {
  readonly parser = new SaxesParser();
  readonly #open: Open[] = [];
  readonly #feed: Members = new Map();
  readonly #items: FeedItem[] = [];
  #item: Members | null = null;
  /** How deep the member lies whose text is being gathered; 0 outside of any. */
  #memberDepth = 0;

  constructor() {
    const { parser } = this;
    Object.assign(parser.ENTITIES, ENTITIES);
    parser.on('error', (fault) => {
      throw new NotAFeed(`the text is not XML: ${fault.message.slice(0, 200)}`);
    });
    parser.on('doctype', (declaration) => {
      if (declaration.includes('[')) throw new NotAFeed('a document with declarations of its own is not read');
    });
    parser.on('opentag', ({ name, attributes }) => this.#begin(name, attributes));
    parser.on('text', (piece) => this.#add(piece));
    parser.on('cdata', (piece) => this.#add(piece));
    parser.on('closetag', () => this.#end());
  }

  feed(): Feed {
    return { title: textOf(this.#feed, 'title') ?? '', link: linkOf(this.#feed), items: this.#items };
  }

  #begin(name: string, attributes: Record<string, string>): void {
    const open = this.#open;
    if (open.length === 0) {
      if (!ROOTS.has(name)) throw new NotAFeed(`the text is no feed: its first element is ${name.slice(0, 100)}`);
    }
    if (open.length >= MOST_DEPTH) throw new NotAFeed(`the feed is nested more than ${MOST_DEPTH} deep`);
    if (this.#memberDepth === 0) {
      if (ENTRIES.has(name)) this.#item = new Map();
      else if (!SHELLS.has(name)) this.#memberDepth = open.length + 1;
    }
    open.push({ name, attributes, text: '' });
  }

  #add(piece: string): void {
    const last = this.#open.at(-1);
    if (last !== undefined && last.text.length < LONGEST_TEXT)
      last.text += piece.slice(0, LONGEST_TEXT - last.text.length);
  }

  #end(): void {
    const closed = this.#open.pop();
    if (closed === undefined) return;
    if (this.#memberDepth === this.#open.length + 1) {
      this.#memberDepth = 0;
      keep(this.#item ?? this.#feed, closed);
    } else if (this.#memberDepth > 0) {
      // An author has a name; what is written as elements has its text in them.
      const outer = this.#open.at(-1);
      if (outer !== undefined && (outer.name !== 'author' || closed.name === 'name')) this.#add(closed.text);
    } else if (ENTRIES.has(closed.name) && this.#item !== null) {
      this.#items.push(itemOf(this.#item));
      this.#item = null;
      if (this.#items.length >= MOST_ITEMS) throw new Enough();
    }
  }
}

function keep(members: Members, { name, text, attributes }: Open): void {
  const known = members.get(name);
  if (known === undefined) members.set(name, [{ text, attributes }]);
  else if (known.length < MOST_OF_ONE_KIND) known.push({ text, attributes });
}

function itemOf(members: Members): FeedItem {
  const link = linkOf(members) ?? permalinkOf(members);
  return {
    id: textOf(members, 'guid', 'id') ?? link,
    title: textOf(members, 'title') ?? '',
    link,
    summary: textOf(members, 'description', 'summary'),
    content: textOf(members, 'content:encoded', 'content'),
    author: textOf(members, 'dc:creator', 'author'),
    categories: (members.get('category') ?? []).flatMap(({ text, attributes }) => attributes.term || text.trim() || []),
    published_at: timeOf(textOf(members, 'pubDate', 'published', 'dc:date')),
    updated_at: timeOf(textOf(members, 'updated')),
    enclosure: enclosureOf(members),
  };
}

/** RSS has an element for it, Atom a kind of link. */
function enclosureOf(members: Members): FeedItem['enclosure'] {
  const rss = members.get('enclosure')?.[0]?.attributes;
  const atom = members.get('link')?.find(({ attributes: { rel } }) => rel === 'enclosure')?.attributes;
  const url = rss?.url || atom?.href;
  return url ? { url, type: (rss ?? atom)?.type || null } : null;
}

function textOf(members: Members, ...names: readonly string[]): string | null {
  for (const name of names) {
    const text = members.get(name)?.[0]?.text.trim();
    if (text !== undefined && text !== '') return text;
  }
  return null;
}

/** RSS writes it as text; Atom as an attribute, of links of several kinds. */
function linkOf(members: Members): string | null {
  const links = members.get('link') ?? [];
  const written = links.find(({ text }) => text.trim() !== '')?.text.trim();
  const named = links.find(({ attributes: { rel = 'alternate', href } }) => rel === 'alternate' && href);
  return written ?? named?.attributes.href ?? null;
}

/** The id of an RSS entry is its address, unless it says that it is none. */
function permalinkOf(members: Members): string | null {
  const guid = members.get('guid')?.[0];
  if (guid === undefined || guid.attributes.isPermaLink === 'false') return null;
  return /^https?:\/\//.test(guid.text.trim()) ? guid.text.trim() : null;
}

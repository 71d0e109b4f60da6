import { Parser } from 'htmlparser2';
import { Refusal } from '../computed';

/** Characters of HTML that are read: about 40 ms. */
const MAX_HTML = 512 * 1024;

const MAX_NODES = 30_000;
const MAX_DEPTH = 300;

/** A run of text, entities decoded. */
interface HtmlText {
  readonly kind: 'text';
  text: string;
  readonly parent: HtmlElement;
  /** Place among the children of its parent. */
  readonly index: number;
}

/** An element; names are in lower case. The root of a document is an element without a name and a parent. */
export interface HtmlElement {
  readonly kind: 'element';
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly parent: HtmlElement | null;
  readonly index: number;
  readonly children: HtmlNode[];
}

export type HtmlNode = HtmlElement | HtmlText;

/**
 * Reads HTML as forgivingly as browsers do, without running, fetching or expanding anything; comments are left out.
 * @throws Refusal `too_large` when there is too much of it, or it is nested too deep
 */
export function parseHtml(html: string): HtmlElement {
  if (html.length > MAX_HTML) throw new Refusal('too_large', 'the HTML is larger than 512 KiB');
  const builder = new Builder();
  const parser = new Parser({
    onopentagname: (name) => builder.open(name),
    onattribute: (name, value) => builder.attribute(name, value),
    ontext: (text) => builder.text(text),
    onclosetag: () => builder.close(),
  });
  parser.end(html);
  return builder.root;
}

/** Builds the tree from the events of the parser. */
class Builder {
  readonly root: HtmlElement = element('', null, 0);
  private here = this.root;
  private attributes = new Map<string, string>();
  private nodes = 0;
  private depth = 0;

  open(name: string): void {
    this.count();
    if (++this.depth > MAX_DEPTH) throw new Refusal('too_large', `the HTML is nested more than ${MAX_DEPTH} deep`);
    this.attributes = new Map();
    const opened = element(name, this.here, this.here.children.length, this.attributes);
    this.here.children.push(opened);
    this.here = opened;
  }

  attribute(name: string, value: string): void {
    if (!this.attributes.has(name)) this.attributes.set(name, value);
  }

  text(text: string): void {
    const last = this.here.children.at(-1);
    if (last?.kind === 'text') {
      last.text += text;
      return;
    }
    this.count();
    this.here.children.push({ kind: 'text', text, parent: this.here, index: this.here.children.length });
  }

  close(): void {
    this.depth--;
    this.here = this.here.parent ?? this.root;
  }

  private count(): void {
    if (++this.nodes > MAX_NODES)
      throw new Refusal('too_large', `the HTML has more than ${MAX_NODES} elements and texts`);
  }
}

function element(
  name: string,
  parent: HtmlElement | null,
  index: number,
  attributes: ReadonlyMap<string, string> = new Map(),
): HtmlElement {
  return { kind: 'element', name, attributes, parent, index, children: [] };
}

/**
 * Finds the main content of a page: by its markup (`main`, a single `article`), else like Arc90's Readability, by long
 * paragraphs with few links.
 */
import { attribute, type Element, elementsOf, findElement, isRead } from './tree';

/** Characters of text and, of those, in links. */
interface Weight {
  characters: number;
  linked: number;
}

/** Minimum length of the main content, and its minimum share of the text of the page. */
const MIN_CHARACTERS = 250;
const MIN_SHARE = 0.2;

/** Class names and ids of content around the text. */
const AROUND =
  /\b(?:comments?|sidebar|side-bar|share|social|related|recommend\w*|promo\w*|sponsor\w*|advert\w*|ads?|banner|cookies?|consent|newsletter|subscribe|popup|modal|breadcrumbs?|pagination|pager|skip-link|toc-toggle)\b/i;
const AROUND_ROLES = new Set(['navigation', 'banner', 'contentinfo', 'complementary', 'search', 'dialog', 'alert']);
const AROUND_NAMES = new Set(['aside', 'footer', 'form']);

/** The main text of a page; the whole page without a clear candidate. */
export function readablePart(root: Element): Element {
  const weights = weigh(root);
  const all = weights.get(root)?.characters ?? 0;
  const large = (element: Element): boolean => {
    const { characters } = weights.get(element) ?? { characters: 0 };
    return characters >= MIN_CHARACTERS && characters >= all * MIN_SHARE;
  };
  const articles = [...elementsOf(root)].filter(({ name }) => name === 'article').filter(large);
  if (articles.length === 1) return articles[0] as Element;
  const main = findElement(root, (element) => element.name === 'main' || attribute(element, 'role') === 'main');
  if (main !== null && large(main)) return main;
  const best = bestScored(root, weights);
  return best !== null && large(best) ? best : root;
}

/** Whether an element inside the main text is boilerplate. */
export function isAround(element: Element): boolean {
  if (AROUND_NAMES.has(element.name) || AROUND_ROLES.has(attribute(element, 'role'))) return true;
  if (element.name === 'body' || element.name === 'article' || element.name === 'main') return false;
  return AROUND.test(`${attribute(element, 'class')} ${attribute(element, 'id')}`.slice(0, 500).replaceAll('_', '-'));
}

function weigh(root: Element): Map<Element, Weight> {
  const weights = new Map<Element, Weight>();
  const walk = (element: Element): Weight => {
    const weight: Weight = { characters: 0, linked: 0 };
    for (const child of element.children) {
      if (typeof child === 'string') {
        weight.characters += child.trim().length;
        continue;
      }
      if (!isRead(child)) continue;
      const inner = walk(child);
      weight.characters += inner.characters;
      weight.linked += inner.linked;
    }
    if (element.name === 'a') weight.linked = weight.characters;
    weights.set(element, weight);
    return weight;
  };
  walk(root);
  return weights;
}

/** Shorter paragraphs are captions and buttons. */
const MIN_PARAGRAPH_CHARACTERS = 25;
const MAX_LENGTH_POINTS = 3;

function bestScored(root: Element, weights: ReadonlyMap<Element, Weight>): Element | null {
  const scores = new Map<Element, number>();
  const credit = (element: Element | null, points: number): void => {
    if (element !== null && element.name !== '') scores.set(element, (scores.get(element) ?? 0) + points);
  };
  for (const element of elementsOf(root)) {
    if (element.name !== 'p' && element.name !== 'pre' && element.name !== 'blockquote') continue;
    const { characters = 0 } = weights.get(element) ?? {};
    if (characters < MIN_PARAGRAPH_CHARACTERS) continue;
    const points = 1 + Math.min(MAX_LENGTH_POINTS, characters / 100);
    credit(element.parent, points);
    credit(element.parent?.parent ?? null, points / 2);
  }
  let best: Element | null = null;
  let max = 0;
  for (const [element, score] of scores) {
    const { characters, linked } = weights.get(element) ?? { characters: 1, linked: 0 };
    const points = score * (1 - linked / Math.max(1, characters)) * (isAround(element) ? 0.2 : 1);
    if (points > max) [best, max] = [element, points];
  }
  return best;
}

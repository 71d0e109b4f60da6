import { compile, type Options, selectAll } from 'css-select';
import { errorMessage } from '../../../lib/errors';
import type { Budget } from '../budget';
import { misconfigured, Refusal } from '../computed';
import type { HtmlElement, HtmlNode } from './tree';
import { contentOf } from './write';

/** Cost of each access of a selector to the tree. */
const QUESTION = 0.2;

/** Finds elements below one, in the order of the document. @throws Refusal `too_large` when it takes too long */
type Select = (within: HtmlElement) => HtmlElement[];

/**
 * Compiles a CSS selector. What its evaluation asks is counted, so that one such as `* ~ * ~ *` ends in time.
 * @throws Refusal `invalid_config` for an invalid selector
 */
export function compileSelector(selector: string, budget: Budget): Select {
  const options = optionsFor(budget);
  let query: ReturnType<typeof compile<HtmlNode, HtmlElement>>;
  try {
    query = compile<HtmlNode, HtmlElement>(selector, options);
  } catch (fault) {
    if (fault instanceof Refusal) throw fault;
    throw misconfigured(`"${selector}" is not a CSS selector: ${errorMessage(fault)}`);
  }
  return (within) => selectAll<HtmlNode, HtmlElement>(query, within.children, options);
}

function optionsFor(budget: Budget): Options<HtmlNode, HtmlElement> {
  const parentOf = ({ parent }: HtmlNode): HtmlElement | null =>
    parent === null || parent.name === '' ? null : parent;
  return {
    adapter: {
      isTag: (node): node is HtmlElement => {
        budget.spend(QUESTION);
        return node.kind === 'element';
      },
      equals: (a, b) => {
        budget.spend(QUESTION);
        return a === b;
      },
      getAttributeValue: (element, name) => {
        const value = element.attributes.get(name);
        budget.spend(QUESTION + (value?.length ?? 0) / 50);
        return value;
      },
      hasAttrib: (element, name) => {
        budget.spend(QUESTION);
        return element.attributes.has(name);
      },
      getName: ({ name }) => {
        budget.spend(QUESTION);
        return name;
      },
      getChildren: (node) => {
        budget.spend(QUESTION);
        return node.kind === 'element' ? node.children : [];
      },
      getParent: (node) => {
        budget.spend(QUESTION);
        return parentOf(node);
      },
      getSiblings: (node) => {
        budget.spend(QUESTION);
        return node.parent?.children ?? [node];
      },
      prevElementSibling: (node) => {
        const siblings = node.parent?.children ?? [];
        for (let index = node.index - 1; index >= 0; index--) {
          budget.spend(QUESTION);
          const sibling = siblings[index];
          if (sibling?.kind === 'element') return sibling;
        }
        return null;
      },
      // Finding one text in another may look at each place for each character.
      getText: (node) => {
        const text = contentOf(node);
        budget.spend(text.length);
        return text;
      },
      // Only ever given the children of one element, which do not hold each other.
      removeSubsets: (nodes) => nodes,
    },
  };
}

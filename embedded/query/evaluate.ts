import { decode } from '../bson/decode';
import { type RawPath, rawPath, readParts } from '../bson/raw';
import type { Doc } from '../bson/value';
import type { Node } from './node';
import { NO, type Outcome, PLAIN, walk } from './walk';

/** Interprets a filter tree on one decoded document. */
export function match(node: Node, document: Doc): Outcome {
  switch (node.kind) {
    case 'path':
      return walk(document, node.path, 0, node.leaf, node.visit);
    case 'and':
      return matchAll(node.children, document);
    case 'or':
      return matchAny(node.children, document);
    case 'nor':
      return node.children.some((child) => match(child, document) !== NO) ? NO : PLAIN;
    case 'not':
      return match(node.child, document) === NO ? PLAIN : NO;
    case 'document':
      return node.test(document) ? PLAIN : NO;
    case 'constant':
      return node.value ? PLAIN : NO;
  }
}

/** All hold; the position that stays is the last one found, as in MongoDB. */
function matchAll(children: readonly Node[], document: Doc): Outcome {
  let position = PLAIN;
  for (const child of children) {
    const outcome = match(child, document);
    if (outcome === NO) return NO;
    if (outcome >= 0) position = outcome;
  }
  return position;
}

function matchAny(children: readonly Node[], document: Doc): Outcome {
  for (const child of children) {
    const outcome = match(child, document);
    if (outcome !== NO) return outcome;
  }
  return NO;
}

/** A filter tree as a predicate on raw BSON: paths are followed in the bytes, and only what they reach is decoded. */
export function onRaw(node: Node): (bytes: Uint8Array) => boolean {
  switch (node.kind) {
    case 'path':
      return rawPathTest(node, rawPath(node.path));
    case 'and': {
      const tests = node.children.map(onRaw);
      return (bytes) => tests.every((test) => test(bytes));
    }
    case 'or': {
      const tests = node.children.map(onRaw);
      return (bytes) => tests.some((test) => test(bytes));
    }
    case 'nor': {
      const tests = node.children.map(onRaw);
      return (bytes) => !tests.some((test) => test(bytes));
    }
    case 'not': {
      const test = onRaw(node.child);
      return (bytes) => !test(bytes);
    }
    case 'document':
      return (bytes) => node.test(decode(bytes));
    case 'constant':
      return () => node.value;
  }
}

function rawPathTest(node: Extract<Node, { kind: 'path' }>, raw: RawPath): (bytes: Uint8Array) => boolean {
  return (bytes) => {
    const { value, depth } = readParts(bytes, raw);
    return walk(value, node.path, depth, node.leaf, node.visit) !== NO;
  };
}

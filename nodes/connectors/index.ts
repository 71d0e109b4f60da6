import type { NodeType } from '../contract';
import type { Connector } from './contract';
import { protocols } from './protocols';
import { neutral } from './neutral';
import { namesOf, nodesOf } from './node';
import { products } from './products';

/** Every built-in connector. A new one needs a folder and a line in products.ts. */
export const connectors: readonly Connector[] = [...protocols, ...neutral, ...products];

/** Connectors by name and alias. */
export const connectorsByName: ReadonlyMap<string, Connector> = new Map(
  connectors.flatMap((connector) => namesOf(connector).map((name) => [name, connector])),
);

/** The node types of all actions. */
export const connectorNodes: readonly NodeType[] = connectors.flatMap(nodesOf);

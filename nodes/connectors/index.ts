import type { NodeType } from '../contract';
import type { Connector } from './contract';
import { generic } from './generic';
import { neutral } from './neutral';
import { namesOf, nodesOf } from './node';
import { products } from './products';

/** Every built-in connector. A new one is a folder and a line here. */
export const connectors: readonly Connector[] = [...generic, ...neutral, ...products];

/** A connector by its name, or by that of its product. */
export const connectorsByName: ReadonlyMap<string, Connector> = new Map(
  connectors.flatMap((connector) => namesOf(connector).map((name) => [name, connector])),
);

/** The step types of all actions of all connectors. */
export const connectorNodes: readonly NodeType[] = connectors.flatMap(nodesOf);

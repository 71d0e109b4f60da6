import { asana } from './asana';
import { clickup } from './clickup';
import type { Connector } from './contract';
import { github } from './github';
import { gitlab } from './gitlab';
import { jira } from './jira';
import { linear } from './linear';
import { todoist } from './todoist';
import { trello } from './trello';

/** Connectors that are called by the product's own name. */
export const products: readonly Connector[] = [asana, clickup, github, gitlab, jira, linear, todoist, trello];

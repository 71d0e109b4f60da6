import type { Connector, ConnectorAction } from '../../nodes/connectors/contract';
import { type ImportedConnector, importedConnector } from '../../nodes/connectors/imported';
import { actionNode, isPaged, typeOf } from '../../nodes/connectors/node';
import type { ActionView, ConnectorView } from '../../contracts/connectors';

/** A connector as its users see it, with the schemas of its actions or without. */
export const viewOf = (connector: Connector, schemas: boolean): ConnectorView => ({
  name: connector.name,
  title: connector.title,
  description: connector.description,
  category: connector.category,
  docs: connector.docs,
  auth: {
    required: connector.auth.required,
    oauth:
      connector.auth.oauth === undefined
        ? null
        : { provider: connector.auth.oauth.provider, scopes: [...connector.auth.oauth.scopes] },
    fields: [...connector.auth.fields],
  },
  actions: connector.actions.map((action) => actionView(connector, action, schemas)),
  custom: false,
  revision: null,
});

/** The same of an imported one. */
export const importedView = (connector: ImportedConnector, schemas: boolean): ConnectorView => ({
  ...viewOf(importedConnector(connector, connector.actions), schemas),
  custom: true,
  revision: connector.revision,
});

function actionView(connector: Connector, action: ConnectorAction, schemas: boolean): ActionView {
  const { name, title, description, effect, repeatable } = action;
  const line = {
    name,
    type: typeOf(connector, action),
    title,
    description,
    effect,
    repeatable,
    paged: isPaged(action),
  };
  if (!schemas) return line;
  const { input, output } = actionNode(connector, action);
  return { ...line, input, output };
}

import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { type Search, textParam, wordParam } from '../../model/search-params';

const VIEWS = ['canvas', 'split', 'code'] as const;
export type EditorView = (typeof VIEWS)[number];

const PANELS = ['triggers', 'try', 'versions', 'publish', 'generate', 'problems', 'used-by', 'schema'] as const;
export type EditorPanel = (typeof PANELS)[number];

interface EditorSearch {
  readonly view?: EditorView;
  /** The id of the open step. */
  readonly step?: string;
  readonly panel?: EditorPanel;
  /** An earlier run whose outputs are the sample. */
  readonly run?: string;
}

/** The id of a workflow that is not saved yet. */
export const NEW_ID = 'new';

export const editorRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/workflows/$id',
  validateSearch: (search: Search): EditorSearch => ({
    view: wordParam(search, 'view', VIEWS),
    step: textParam(search, 'step'),
    panel: wordParam(search, 'panel', PANELS),
    run: textParam(search, 'run'),
  }),
  component: lazyPage(() => import('./editor-page'), 'EditorPage'),
});

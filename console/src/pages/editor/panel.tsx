import type { ReactNode } from 'react';
import { GeneratePanel } from './generate-panel';
import { ProblemsPanel } from './problems-panel';
import { PublishPanel } from './publish-panel';
import type { EditorPanel } from './route';
import { SchemaPanel } from './schema-panel';
import { TriggersPanel } from './triggers-panel';
import { TryPanel } from './try-panel';
import type { Storage } from './use-storage';
import { UsedByPanel } from './used-by-panel';
import { VersionsPanel } from './versions-panel';

interface PanelProps {
  readonly panel: EditorPanel;
  readonly storage: Storage;
  readonly onClose: () => void;
  readonly onOpenStep: (key: string) => void;
}

/** The side panel that the address names. */
export function Panel({ panel, storage, onClose, onOpenStep }: PanelProps): ReactNode {
  switch (panel) {
    case 'problems':
      return <ProblemsPanel onClose={onClose} onOpenStep={onOpenStep} />;
    case 'publish':
      return <PublishPanel storage={storage} onClose={onClose} />;
    case 'triggers':
      return <TriggersPanel storage={storage} onClose={onClose} />;
    case 'try':
      return <TryPanel onClose={onClose} />;
    case 'versions':
      return <VersionsPanel storage={storage} onClose={onClose} />;
    case 'used-by':
      return <UsedByPanel storage={storage} onClose={onClose} />;
    case 'schema':
      return <SchemaPanel storage={storage} onClose={onClose} />;
    case 'generate':
      return <GeneratePanel onClose={onClose} />;
  }
}

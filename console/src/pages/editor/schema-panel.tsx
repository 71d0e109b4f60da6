import { AnchorButton, CodeBlock, SidePanel } from '../../ui';
import { ExternalIcon } from '../../ui/icon';
import type { Storage } from './use-storage';

const SCHEMA = `${location.origin}/api/v1/schema`;

interface SchemaPanelProps {
  readonly storage: Storage;
  readonly onClose: () => void;
}

/** How to edit the document with completion in an editor of one's own. */
export function SchemaPanel({ storage: { workflow }, onClose }: SchemaPanelProps) {
  return (
    <SidePanel title="Edit elsewhere" onClose={onClose}>
      <p>
        VS Code and other editors complete and check keys, types of steps and their settings while one types. Name the
        JSON Schema at the top of the document, which keeps and ignores it:
      </p>
      <CodeBlock label="Line of the document" text={`"$schema": "${SCHEMA}",`} wrap />
      <div>
        <AnchorButton icon={ExternalIcon} href={SCHEMA} target="_blank" rel="noreferrer">
          Open the JSON Schema
        </AnchorButton>
      </div>
      {workflow !== null && (
        <>
          <p>The command line writes the workflow into a file, and brings it back:</p>
          <CodeBlock label="Commands" text={commandsOf(workflow.id)} wrap />
        </>
      )}
    </SidePanel>
  );
}

const commandsOf = (id: string): string => `everstep workflow pull ${id}\neverstep workflow push FILE`;

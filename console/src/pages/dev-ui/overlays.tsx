import { useState } from 'react';
import { openPalette } from '../../app/palette-state';
import {
  ActionList,
  Button,
  Card,
  ConfirmDialog,
  KeyValues,
  Popover,
  SidePanel,
  Status,
  toast,
  toastError,
  Toolbar,
  Tooltip,
  WithPanel,
} from '../../ui';
import { CopyIcon, DeleteIcon, EditIcon, MoreIcon } from '../../ui/icon';

/** What opens above or beside the page. */
export function Overlays() {
  const [asking, setAsking] = useState(false);
  const [panel, setPanel] = useState(false);
  return (
    <>
      <Card title="Dialog, popover, toast, tooltip, palette, side panel">
        <Toolbar>
          <Button onClick={() => setAsking(true)}>Dialog</Button>
          <Popover
            label="Actions"
            trigger={(props) => (
              <Button icon={MoreIcon} {...props}>
                Actions
              </Button>
            )}
          >
            {(close) => (
              <ActionList
                close={close}
                actions={[
                  { label: 'Rename', icon: EditIcon, onSelect: () => toast('Renamed'), hint: 'R' },
                  { label: 'Duplicate', icon: CopyIcon, onSelect: () => toast('Duplicated') },
                  { label: 'Delete', icon: DeleteIcon, danger: true, onSelect: () => setAsking(true) },
                ]}
              />
            )}
          </Popover>
          <Button onClick={() => toast('The workflow is enabled')}>Toast</Button>
          <Button onClick={() => toastError(new Error('The workflow could not be enabled'))}>Error toast</Button>
          <Tooltip text="Explains a thing in one sentence">
            <Button>Tooltip</Button>
          </Tooltip>
          <Button onClick={openPalette}>Palette</Button>
          <Button onClick={() => setPanel(true)}>Side panel</Button>
        </Toolbar>
      </Card>
      <WithPanel
        panel={
          panel ? (
            <SidePanel title="charge" aside={<Status status="failed" />} onClose={() => setPanel(false)}>
              <KeyValues
                rows={[
                  ['Type', 'http_request'],
                  ['Attempts', '3 of 3'],
                ]}
              />
            </SidePanel>
          ) : null
        }
      >
        {null}
      </WithPanel>
      {asking && (
        <ConfirmDialog
          title="Delete the workflow?"
          action="Delete"
          danger
          onConfirm={() => Promise.resolve()}
          onClose={() => setAsking(false)}
        >
          Its runs are deleted, too. This cannot be undone.
        </ConfirmDialog>
      )}
    </>
  );
}

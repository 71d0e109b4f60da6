import { Page } from '../../ui';
import { Controls } from './controls';
import { DataParts } from './data-parts';
import { Foundations } from './foundations';
import { Overlays } from './overlays';

/** Every part of the design system, for those who build pages. */
export function DevUiPage() {
  return (
    <Page
      title="Design system"
      description="Every component of console/src/ui, in the states that it has. Look at it in both themes."
    >
      <Foundations />
      <Controls />
      <DataParts />
      <Overlays />
    </Page>
  );
}

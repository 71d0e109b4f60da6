import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client';
import { Form, FormFooter, SidePanel } from '../../ui';
import { SkillFields } from './skill-fields';

interface NewSkillPanelProps {
  readonly onClose: () => void;
  readonly onMade: (id: string) => void;
}

/** Writes a skill; its files are added afterwards. */
export function NewSkillPanel({ onClose, onMade }: NewSkillPanelProps) {
  const client = useQueryClient();
  return (
    <SidePanel title="New skill" onClose={onClose}>
      <Form
        label="New skill"
        onSubmit={async ({ name = '', description = '', instructions = '' }) => {
          const { id } = await api.skills.create({ body: { name, description, instructions } });
          await client.invalidateQueries({ queryKey: ['skills'] });
          onMade(id);
        }}
      >
        {({ busy }) => (
          <>
            <SkillFields skill={null} />
            <FormFooter action="Create" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </SidePanel>
  );
}

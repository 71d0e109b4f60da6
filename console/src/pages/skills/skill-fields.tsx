import type { SkillView } from '../../api/client';
import { Field, Textarea, TextField } from '../../ui';

/** What a skill says of itself, and its instructions. */
export function SkillFields({ skill }: { readonly skill: SkillView | null }) {
  return (
    <>
      <TextField
        name="name"
        label="Name"
        placeholder="invoice-check"
        hint="Lower-case letters, digits and hyphens. Steps and agents name the skill by it."
        defaultValue={skill?.name ?? ''}
      />
      <Field label="Description" hint="What it does and when to use it. Models choose by it.">
        <Textarea name="description" rows={3} required defaultValue={skill?.description ?? ''} />
      </Field>
      <Field label="Instructions" hint="Markdown. Name files by their paths, such as scripts/sum.js.">
        <Textarea name="instructions" code rows={18} defaultValue={skill?.instructions ?? ''} />
      </Field>
    </>
  );
}

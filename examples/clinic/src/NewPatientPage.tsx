import { useCallback } from "react";
import type { Api, Patient, ReadOptions } from "./api/client";
import { Form } from "./Form";
import { Loaded } from "./Loaded";
import { useLoad } from "./useLoad";

const species: readonly Patient["species"][] = [
  "dog",
  "cat",
  "rabbit",
  "parrot",
];

export function NewPatientPage({ api }: { api: Api }) {
  const load = useCallback(
    (options: ReadOptions) => api.listOwners(options),
    [api],
  );
  const { result, reload } = useLoad(load);
  return (
    <>
      <p>
        <a href="#/">All patients</a>
      </p>
      <title>New patient – Clinic</title>
      <h2>New patient</h2>
      <Loaded name="the owners" result={result} reload={reload}>
        {({ length }) =>
          length === 0 && <p>No owners yet, so nobody can bring a patient.</p>
        }
      </Loaded>
      <Form
        label="New patient"
        button="Add the patient"
        fields={[
          { name: "name", label: "Name" },
          {
            name: "species",
            label: "Species",
            options: species.map((each) => [each, each] as const),
          },
          { name: "bornOn", label: "Born", type: "date" },
          {
            name: "ownerId",
            label: "Owner",
            options: (result.value ?? []).map(
              ({ id, name }) => [id, name] as const,
            ),
          },
        ]}
        onSend={async ({ ownerId, ...values }) => {
          const { id } = await api.createPatient({
            ...values,
            species: values.species as Patient["species"] | undefined,
            ownerId: ownerId === undefined ? undefined : Number(ownerId),
          });
          window.location.hash = `#/patients/${id}`;
        }}
      />
    </>
  );
}

// The fields of the forms, which both apps have.

export const CREDENTIALS = [
  { name: "email", label: "Email", type: "email" },
  { name: "password", label: "Password", type: "password" },
];
export const NEW_USER = [{ name: "name", label: "Your name" }, ...CREDENTIALS];
export const APPOINTMENT = [
  { name: "startsAt", label: "Start", type: "datetime-local" },
  { name: "reason", label: "Reason" },
];
export const PATIENT = [
  { name: "name", label: "Name of the patient" },
  { name: "species", label: "Species", options: ["dog", "cat", "rabbit", "parrot"].map((each) => [each, each]) },
  { name: "bornOn", label: "Born", type: "date" },
];

export const ownerField = (owners) => ({
  name: "ownerId",
  label: "Owner",
  options: owners.map(({ id, name }) => [id, name]),
});

export function Field({ label, options, ...input }) {
  return (
    <label>
      {label}{" "}
      {options ? (
        <select name={input.name} required>
          <option value="">Choose one</option>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <input {...input} required />
      )}
    </label>
  );
}

/** Return what a form sends. */
export function valuesOf(form) {
  const values = Object.fromEntries(new FormData(form));
  if (values.startsAt) values.startsAt = new Date(values.startsAt).toISOString();
  if (values.ownerId) values.ownerId = Number(values.ownerId);
  return values;
}

export const formatTime = (time) => new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** Grey boxes in place of texts. */
export function Skeleton({ lines = 3 }) {
  return (
    <div aria-busy="true">
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} className="skeleton" />
      ))}
    </div>
  );
}

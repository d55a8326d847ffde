// A count instead of the length of the list, which Scalar would copy into its sandbox.
const [{ count }] = store.list("Counts");
store.create("Counts", { id: "Patient", count: count + 1 });
return store.create("Patient", { ...req.body, id: count + 1 });

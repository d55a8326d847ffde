return store.get("Patient", req.params.patientId);

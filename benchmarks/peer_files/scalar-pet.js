// Handler for Scalar: GET /v1/pets/{petId}. Scalar responds with 404 if the result is undefined.
return store.get('Pet', req.params.petId)
